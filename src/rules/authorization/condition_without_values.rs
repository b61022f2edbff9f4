use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "condition-without-values",
    page: include_str!("../../../rules/condition-without-values.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let policies = mesh
        .all::<AuthorizationPolicy<'_>>()
        .filter(|policy| !policy.header.patched);
    for condition in policies.flat_map(|policy| policy.body.conditions()) {
        if let (Some(key), true) = (&condition.key, condition.lacks_values) {
            findings
                .add(
                    condition.span,
                    format!("the condition on `{key}` has neither `values` nor `notValues`"),
                )
                .missing("values")
                .help(
                    "istiod's webhook refuses the policy; `values: [\"*\"]` means that the attribute is there at all",
                );
        }
    }
}
