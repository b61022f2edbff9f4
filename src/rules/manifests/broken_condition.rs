use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "broken-condition",
    page: include_str!("../../../rules/broken-condition.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::BrokenCondition { message, why } = &violation.kind else {
            continue;
        };
        let refusal = "the API server refuses the resource: its CRD has this condition";
        let help = match why {
            Some(why) => format!("{refusal}, and cannot evaluate it here: {why}"),
            None => refusal.to_owned(),
        };
        findings.add(violation.span, message).help(help);
    }
}
