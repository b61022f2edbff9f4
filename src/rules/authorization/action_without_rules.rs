use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{Action, AuthorizationPolicy};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "action-without-rules",
    page: include_str!("../../../rules/action-without-rules.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for policy in mesh.all::<AuthorizationPolicy<'_>>() {
        let (Some(action), true) = (&policy.action, policy.lacks_rules && !policy.header.patched) else {
            continue;
        };
        if matches!(policy.action(), Some(Action::Deny | Action::Custom)) {
            findings
                .add(
                    action,
                    format!("this {action} policy has no rules, so that it would never act"),
                )
                .missing_at("spec.rules")
                .help("istiod's webhook refuses it; an empty rule, `rules: [{}]`, is the way to mean every request");
        }
    }
}
