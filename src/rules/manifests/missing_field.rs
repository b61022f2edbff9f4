use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "missing-field",
    page: include_str!("../../../rules/missing-field.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::Missing { field, name, refuser } = &violation.kind else {
            continue;
        };
        let message = if field.is_empty() {
            format!("the resource lacks `{name}`")
        } else {
            format!("`{field}` lacks `{name}`")
        };
        findings
            .add(violation.span, message)
            .missing(name.clone())
            .help(super::refused_by(*refuser));
    }
}
