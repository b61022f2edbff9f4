use super::judge;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};
use crate::values::policy::Form;

pub const RULE: Rule = Rule {
    id: "malformed-operation-port",
    page: include_str!("../../../rules/malformed-operation-port.md"),
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
        judge(&operation.ports, Form::Port, "port", findings);
        judge(&operation.not_ports, Form::Port, "port", findings);
    }
}
