use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "unevaluated-condition",
    page: include_str!("../../../rules/unevaluated-condition.md"),
    severity: Severity::Note,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::UnevaluatedCondition { condition, why } = &violation.kind else {
            continue;
        };
        findings
            .add(violation.span, format!("a condition is not checked: {condition}"))
            .help(format!(
                "meshlint cannot evaluate it: {why}; the API server may refuse the resource"
            ));
    }
}
