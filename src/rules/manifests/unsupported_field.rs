use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "unsupported-field",
    page: include_str!("../../../rules/unsupported-field.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::Unsupported { field, value, refuser } = &violation.kind else {
            continue;
        };
        let message = if value.is_empty() {
            format!("`{field}` cannot be set here")
        } else {
            format!("`{field}` cannot be `{value}` here")
        };
        findings.add(violation.span, message).help(super::refused_by(*refuser));
    }
}
