use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "empty-operation",
    page: include_str!("../../../rules/empty-operation.md"),
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
    for to in policies
        .flat_map(|policy| policy.body.rules.iter())
        .flat_map(|rule| &rule.to)
    {
        if to.lacks_operation {
            let finding = match &to.operation {
                Some(operation) => findings.add(operation.span, "this operation says nothing about the request"),
                None => findings
                    .add(to.span, "this entry of `to` has no operation")
                    .missing("operation"),
            };
            finding.help("istiod's webhook refuses the policy; leave out `to` to mean every request");
        }
    }
}
