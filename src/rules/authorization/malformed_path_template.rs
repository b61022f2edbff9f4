use super::judge;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};
use crate::values::policy::Form;

pub const RULE: Rule = Rule {
    id: "malformed-path-template",
    page: include_str!("../../../rules/malformed-path-template.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for operation in mesh
        .all::<AuthorizationPolicy<'_>>()
        .flat_map(|policy| policy.body.operations())
    {
        judge(&operation.paths, Form::Path, "path template", findings);
        judge(&operation.not_paths, Form::Path, "path template", findings);
    }
}
