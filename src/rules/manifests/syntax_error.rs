use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::ProblemKind;

pub const RULE: Rule = Rule {
    id: "syntax-error",
    page: include_str!("../../../rules/syntax-error.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for problem in mesh.problems.iter().filter(|problem| problem.kind.breaks_document()) {
        let (message, help) = words(&problem.kind);
        findings.add(problem.span, message).help(help);
    }
}

const LOST: &str = "the API server refuses the whole document; the other documents of the file are read";

fn words(kind: &ProblemKind) -> (String, &'static str) {
    match kind {
        ProblemKind::Syntax(message) => (format!("this is no YAML: {message}"), LOST),
        ProblemKind::Tab => ("a tab stands where only spaces may indent".into(), LOST),
        ProblemKind::Encoding => (
            "the file is not UTF-8 from here on".into(),
            "save it as UTF-8; nothing of the file is read",
        ),
        ProblemKind::Control => (
            "a control character stands here, which YAML forbids".into(),
            "remove it; nothing of the file is read",
        ),
        ProblemKind::UnknownAnchor(name) => (
            format!("no anchor `&{name}` stands before this alias in the document"),
            LOST,
        ),
        ProblemKind::RecursiveAnchor => ("the alias stands inside its own anchor".into(), LOST),
        ProblemKind::AliasBomb => ("the aliases expand to more than a million values".into(), LOST),
        ProblemKind::TooDeep => ("collections are nested too deep here".into(), LOST),
        ProblemKind::KeyNotScalar { template: true } => (
            "the key is a mapping: this looks like a template that was not rendered".into(),
            "render it first, or put it in quotes",
        ),
        ProblemKind::KeyNotScalar { template: false } => {
            ("the key is null, a list or a mapping; JSON has only texts".into(), LOST)
        }
        ProblemKind::NotFinite => (
            "infinity and not-a-number have no JSON form".into(),
            "put it in quotes if it is a text",
        ),
        ProblemKind::Directive => (
            "kubectl reads no YAML directives".into(),
            "remove the line: the API server refuses the file",
        ),
        ProblemKind::DuplicateKey { key, .. } => (format!("the key `{key}` is repeated"), LOST),
    }
}
