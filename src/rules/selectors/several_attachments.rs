use super::targets;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "several-attachments",
    page: include_str!("../../../rules/several-attachments.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, targets) in targets(mesh) {
        let selector = targets.selector.map(|selector| (selector.field, selector.span));
        let one = targets.target_ref.map(|reference| ("targetRef", reference.span));
        let many = targets.target_refs_key.map(|key| ("targetRefs", key));
        let mut attachments = selector.into_iter().chain(one).chain(many);
        let Some((first, span)) = attachments.next() else {
            continue;
        };
        for (field, at) in attachments {
            findings
                .add(at, format!("`{field}` stands beside `{first}`"))
                .related(span, "the other")
                .help("the API server refuses it; a selector is for pods with sidecars, targets are for waypoints and gateways: make two resources if both are meant");
        }
    }
}
