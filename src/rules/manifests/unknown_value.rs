use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::{ViolationKind, same_but_for_style};
use crate::source::Span;
use crate::yaml::edit::replace_scalar;

pub const RULE: Rule = Rule {
    id: "unknown-value",
    page: include_str!("../../../rules/unknown-value.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::UnknownWord {
            field,
            word,
            allowed,
            nearest,
            whole,
            refuser,
        } = &violation.kind
        else {
            continue;
        };
        let near = nearest.as_deref();
        let fix = near
            .filter(|_| *whole)
            .and_then(|near| rename(mesh, violation.span, word, near));
        let help: Vec<String> = [
            near.map(|near| format!("did you mean `{near}`?")),
            (!allowed.is_empty()).then(|| format!("{allowed}:")),
            Some(super::refused_by(*refuser).to_owned()),
        ]
        .into_iter()
        .flatten()
        .collect();
        findings
            .add(violation.span, format!("`{field}` does not take `{word}`"))
            .help(help.join(" "))
            .fix(fix);
    }
}

/// Another spelling of the same word is certain, another word is not.
fn rename(mesh: &Mesh<'_>, span: Span, word: &str, near: &str) -> Option<Fix> {
    if !same_but_for_style(word, near) {
        return Fix::nearest(mesh.sources, span, Some(near));
    }
    let edit = replace_scalar(mesh.sources, span, near)?;
    Some(Fix::safe(format!("use `{near}`"), edit))
}
