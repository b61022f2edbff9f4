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

fn owner(field: &str) -> String {
    if field.is_empty() {
        "the resource".to_owned()
    } else {
        format!("`{field}`")
    }
}

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        match &violation.kind {
            ViolationKind::Missing { field, name, refuser } => {
                let message = format!("{} lacks `{name}`", owner(field));
                let finding = findings.add(violation.span, message);
                finding.missing(name.clone()).help(super::refused_by(*refuser));
            }
            ViolationKind::Alternatives {
                field,
                alternatives,
                none_fits: true,
                refuser,
            } => {
                let message = if alternatives.is_empty() {
                    format!("{} has none of the forms that it may have", owner(field))
                } else {
                    format!("{} lacks {alternatives}", owner(field))
                };
                findings.add(violation.span, message).help(super::refused_by(*refuser));
            }
            _ => {}
        }
    }
}
