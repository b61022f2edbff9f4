use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::ProblemKind;

pub const RULE: Rule = Rule {
    id: "duplicate-key",
    page: include_str!("../../../rules/duplicate-key.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for problem in &mesh.problems {
        let ProblemKind::DuplicateKey { key, first } = &problem.kind else {
            continue;
        };
        findings
            .add(problem.span, format!("the key `{key}` is already set in this mapping"))
            .related(*first, "set first here; this value is lost")
            .help("the last value wins in silence, and strict decoding refuses the document: keep one of the two");
    }
}
