use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "conflicting-locality-settings",
    page: include_str!("../../../rules/conflicting-locality-settings.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

const LOCALITY_LABELS: [&str; 3] = [
    "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.istio.io/subzone",
];

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let levels = mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels());
    for setting in levels.filter_map(|level| level.load_balancer?.locality_lb_setting.as_ref()) {
        let Some(failover) = setting.failover.first() else {
            continue;
        };
        if let Some(share) = setting.distribute.first() {
            findings
                .add(share.span, "`distribute` excludes `failover`")
                .related(failover.span, "the failover")
                .help("istiod's webhook refuses the rule: shares say where traffic goes at all times, failover where it goes when endpoints fail; keep one");
        }
        for label in setting
            .failover_priority
            .iter()
            .filter(|label| LOCALITY_LABELS.contains(&label.as_str()))
        {
            findings
                .add(label, format!("priority by `{label}` excludes `failover`"))
                .related(failover.span, "the failover")
                .help("istiod's webhook refuses the rule: with `failover` the locality is ranked already; keep one of the two");
        }
    }
}
