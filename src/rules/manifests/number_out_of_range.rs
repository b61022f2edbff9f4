use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::{Form, ViolationKind};

pub const RULE: Rule = Rule {
    id: "number-out-of-range",
    page: include_str!("../../../rules/number-out-of-range.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    super::malformed(mesh, findings, Form::Number, "number for this field");
    for violation in &mesh.violations {
        if let ViolationKind::OutOfRange {
            field,
            value,
            range,
            refuser,
        } = &violation.kind
        {
            findings
                .add(violation.span, format!("`{field}` is `{value}`, it must be {range}"))
                .help(super::refused_by(*refuser));
        }
    }
}
