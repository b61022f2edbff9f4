use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "wrong-count",
    page: include_str!("../../../rules/wrong-count.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::WrongCount {
            field,
            count,
            allowed,
            refuser,
        } = &violation.kind
        else {
            continue;
        };
        let message = if *count == 0 {
            format!("`{field}` is empty")
        } else {
            format!("`{field}` has {count} entries, it may have {allowed}")
        };
        findings.add(violation.span, message).help(super::refused_by(*refuser));
    }
}
