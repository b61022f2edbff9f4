use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "wrong-length",
    page: include_str!("../../../rules/wrong-length.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::WrongLength {
            field,
            length,
            allowed,
            refuser,
        } = &violation.kind
        else {
            continue;
        };
        let message = if *length == 0 {
            format!("`{field}` is empty")
        } else {
            format!("`{field}` has {length} characters, it may have {allowed}")
        };
        findings.add(violation.span, message).help(super::refused_by(*refuser));
    }
}
