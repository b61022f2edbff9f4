use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "null-value",
    page: include_str!("../../../rules/null-value.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        if let ViolationKind::NullValue { field } = &violation.kind {
            findings.add(violation.span, format!("`{field}` has no value")).help(
                "the API server drops a null as if the field were not there, and validators that judge by the schema \
                 alone refuse it: remove the field or give it a value",
            );
        }
    }
}
