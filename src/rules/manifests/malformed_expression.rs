use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::Form;

pub const RULE: Rule = Rule {
    id: "malformed-expression",
    page: include_str!("../../../rules/malformed-expression.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    super::malformed(mesh, findings, Form::Expression, "CEL expression");
}
