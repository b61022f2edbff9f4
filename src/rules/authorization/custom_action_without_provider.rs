use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{Action, AuthorizationPolicy};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "custom-action-without-provider",
    page: include_str!("../../../rules/custom-action-without-provider.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

const HELP: &str = "istiod's webhook refuses it; `provider.name` is the name of an external authorizer in `extensionProviders` of the mesh configuration";

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for policy in mesh.all::<AuthorizationPolicy<'_>>() {
        let (Some(action), Some(Action::Custom), false) = (&policy.action, policy.action(), policy.header.patched)
        else {
            continue;
        };
        match &policy.provider {
            None if policy.lacks_provider => findings
                .add(action, "this CUSTOM policy names no provider")
                .missing_at("spec.provider.name")
                .help(HELP),
            Some(provider) => match &provider.name {
                None => findings
                    .add(provider.span, "the provider of this CUSTOM policy has no name")
                    .missing("name")
                    .related(action, "the action")
                    .help(HELP),
                Some(name) if name.is_empty() => findings
                    .add(name, "the name of this CUSTOM policy's provider is empty")
                    .related(action, "the action")
                    .help(HELP),
                Some(_) => continue,
            },
            None => continue,
        };
    }
}
