use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::Missing;
use crate::yaml::edit::replace_scalar;

pub const RULE: Rule = Rule {
    id: "unknown-kind",
    page: include_str!("../../../rules/unknown-kind.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for unknown in &mesh.unknown_kinds {
        let Missing::Kind { nearest, elsewhere } = &unknown.missing else {
            continue;
        };
        let (kind, group) = (&unknown.kind, crate::schema::group(unknown.api_version.as_str()));
        let help = match (nearest, elsewhere) {
            (_, Some(other)) => format!("the kind is one of `{other}`"),
            (Some(near), None) => format!("did you mean `{near}`?"),
            (None, None) => "it may have been removed: the API server refuses the resource".to_owned(),
        };
        let fix = nearest.filter(|_| elsewhere.is_none()).and_then(|near| {
            Some(Fix::risky(
                format!("use `{near}`"),
                replace_scalar(mesh.sources, kind.span, near)?,
            ))
        });
        findings
            .add(kind, format!("`{group}` has no kind `{kind}`"))
            .related(unknown.api_version, "the group")
            .help(help)
            .fix(fix);
    }
}
