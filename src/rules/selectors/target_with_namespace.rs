use super::targets;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "target-with-namespace",
    page: include_str!("../../../rules/target-with-namespace.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for reference in targets(mesh).flat_map(|(_, targets)| targets.references()) {
        let namespace = reference.namespace.filter(|namespace| !namespace.is_empty());
        if let Some(namespace) = namespace.filter(|namespace| !is_placeholder(namespace)) {
            findings
                .add(namespace, "a target has no namespace: it is always in that of the resource that names it")
                .help("the API server refuses it, even with the resource's own namespace; leave `namespace` out, and put the resource where its target is");
        }
    }
}
