use super::targets;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "empty-selector",
    page: include_str!("../../../rules/empty-selector.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (header, targets) in targets(mesh) {
        let empty = targets
            .selector
            .filter(|selector| selector.labels.is_empty() && !header.patched);
        let Some(selector) = empty.filter(|selector| !is_placeholder(mesh.sources.text(selector.span))) else {
            continue;
        };
        findings
            .add(selector.span, format!("`{}` names no labels and so selects every workload", selector.field))
            .help("the webhook lets it pass with a warning: the resource counts for its whole namespace, and in the root namespace for the mesh; name labels, or leave the selector out to say that all are meant");
    }
}
