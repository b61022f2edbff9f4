use super::targets;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "nameless-target",
    page: include_str!("../../../rules/nameless-target.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (header, targets) in targets(mesh) {
        for reference in targets.references() {
            let finding = match &reference.name {
                None if !header.patched => findings.add(reference.span, "a target has no name").missing("name"),
                Some(name) if name.is_empty() => findings.add(name, "a target's name is empty"),
                _ => continue,
            };
            finding.help("the API server refuses it; name the Service, ServiceEntry or Gateway that is meant");
        }
    }
}
