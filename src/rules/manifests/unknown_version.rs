use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::Missing;
use crate::yaml::edit::replace_scalar;

pub const RULE: Rule = Rule {
    id: "unknown-version",
    page: include_str!("../../../rules/unknown-version.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for unknown in &mesh.unknown_kinds {
        let Missing::Version { served } = &unknown.missing else {
            continue;
        };
        let newest = served.first();
        let edit = newest.and_then(|newest| replace_scalar(mesh.sources, unknown.api_version.span, newest));
        let title = newest.map(|newest| format!("use `{newest}`"));
        let served = if served.is_empty() {
            "none".to_owned()
        } else {
            served.join(", ")
        };
        findings
            .add(
                unknown.api_version,
                format!("{} has no version `{}`", unknown.kind, unknown.api_version),
            )
            .help(format!("the API server refuses it; served are {served}"))
            .fix(title.zip(edit).map(|(title, edit)| Fix::risky(title, edit)));
    }
}
