use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "empty-source",
    page: include_str!("../../../rules/empty-source.md"),
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
    for from in policies
        .flat_map(|policy| policy.body.rules.iter())
        .flat_map(|rule| &rule.from)
    {
        if from.lacks_source {
            let finding = match &from.source {
                Some(source) => findings.add(source.span, "this source says nothing about the caller"),
                None => findings
                    .add(from.span, "this entry of `from` has no source")
                    .missing("source"),
            };
            finding.help("istiod's webhook refuses the policy; leave out `from` to mean every caller, or `principals: [\"*\"]` to mean all that have a certificate of the mesh");
        }
    }
}
