use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::{Known, group, is_judged};
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
        let Known::Version(schema) = &unknown.known else {
            continue;
        };
        // Kubernetes' own versions are the matter of other tools.
        if !is_judged(group(unknown.api_version.as_str())) {
            continue;
        }
        let Some(newest) = schema.versions.first() else {
            continue;
        };
        let edit = replace_scalar(mesh.sources, unknown.api_version.span, newest);
        findings
            .add(
                unknown.api_version,
                format!("{} has no version `{}`", unknown.kind, unknown.api_version),
            )
            .help(format!(
                "the API server refuses it; served are {}",
                schema.versions.join(", ")
            ))
            .fix(edit.map(|edit| Fix::risky(format!("use `{newest}`"), edit)));
    }
}
