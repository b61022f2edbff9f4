use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "repeated-entry",
    page: include_str!("../../../rules/repeated-entry.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::Repeated {
            field,
            value,
            first,
            refuser,
        } = &violation.kind
        else {
            continue;
        };
        findings
            .add(violation.span, format!("`{field}` already has an entry `{value}`"))
            .related(*first, "the first one")
            .help(super::refused_by(*refuser));
    }
}
