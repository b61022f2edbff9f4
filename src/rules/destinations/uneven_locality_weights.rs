use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Value;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "uneven-locality-weights",
    page: include_str!("../../../rules/uneven-locality-weights.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let levels = mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels());
    let settings = levels.filter_map(|level| level.load_balancer?.locality_lb_setting.as_ref());
    for share in settings.flat_map(|setting| &setting.distribute) {
        let help = "istiod's webhook refuses the rule; the weights of one `to` must add up to 100";
        let Some(weights) = &share.to else {
            findings
                .add(share.span, "a share names no localities")
                .missing("to")
                .help(help);
            continue;
        };
        if let Some(sum) = sum(&weights.value).filter(|sum| *sum != 100) {
            findings.add(weights, format!("the weights add up to {sum}")).help(help);
        }
    }
}

/// The sum of the weights, if all of them are numbers.
fn sum(weights: &Value<'_>) -> Option<i64> {
    let Value::Map(weights) = weights else {
        return None;
    };
    weights.iter().try_fold(0_i64, |sum, (_, weight)| match weight.value {
        Value::Int(weight) => sum.checked_add(weight),
        _ => None,
    })
}
