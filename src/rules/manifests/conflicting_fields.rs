use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "conflicting-fields",
    page: include_str!("../../../rules/conflicting-fields.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        match &violation.kind {
            ViolationKind::Conflict {
                field,
                other,
                other_span,
                refuser,
            } => {
                findings
                    .add(violation.span, format!("`{field}` and `{other}` exclude each other"))
                    .related(*other_span, format!("`{other}` is set here"))
                    .help(format!("keep one of the two: {}", super::refused_by(*refuser)));
            }
            ViolationKind::Alternatives {
                field,
                alternatives,
                none_fits: false,
                refuser,
            } => {
                let message = if alternatives.is_empty() {
                    format!("`{field}` has more than one of the forms that exclude each other")
                } else {
                    format!("{alternatives} exclude each other in `{field}`")
                };
                let help = format!("keep one of them: {}", super::refused_by(*refuser));
                findings.add(violation.span, message).help(help);
            }
            _ => {}
        }
    }
}
