use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::{Found, ViolationKind};
use crate::source::Span;
use crate::yaml::edit::Edit;

pub const RULE: Rule = Rule {
    id: "mistyped-field",
    page: include_str!("../../../rules/mistyped-field.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::Mistyped {
            field,
            expected,
            found,
            formatted,
            refuser,
        } = &violation.kind
        else {
            continue;
        };
        let is = match found {
            Found::Mapping => "a mapping",
            Found::List => "a list",
            Found::Text => "a text",
            Found::Number => "a number",
            Found::Boolean => "a boolean",
            Found::Null => "nothing",
        };
        let unquoted = expected == "a string" && matches!(found, Found::Number | Found::Boolean);
        let refused = super::refused_by(*refuser);
        let help = if unquoted {
            format!("put it in quotes: {refused}")
        } else {
            refused.to_owned()
        };
        findings
            .add(violation.span, format!("`{field}` must be {expected}, this is {is}"))
            .help(help)
            .fix((unquoted && !formatted).then(|| Fix::safe("put it in quotes", quoted(mesh, violation.span))));
    }
}

fn quoted(mesh: &Mesh<'_>, span: Span) -> Edit {
    Edit {
        span,
        text: format!("\"{}\"", mesh.sources.text(span)),
    }
}
