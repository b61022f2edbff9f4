use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{Action, AuthorizationPolicy};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "provider-without-custom-action",
    page: include_str!("../../../rules/provider-without-custom-action.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for policy in mesh.all::<AuthorizationPolicy<'_>>() {
        let Some(provider) = &policy.provider else { continue };
        let action = match policy.action() {
            Some(Action::Allow) => "ALLOW",
            Some(Action::Deny) => "DENY",
            Some(Action::Audit) => "AUDIT",
            Some(Action::Custom) | None => continue,
        };
        let finding = findings.add(
            provider.span,
            format!("a provider is named, but the action is {action}"),
        );
        finding.help("istiod's webhook refuses it: only `action: CUSTOM` asks a provider");
        if let Some(action) = &policy.action {
            finding.related(action, "the action");
        }
    }
}
