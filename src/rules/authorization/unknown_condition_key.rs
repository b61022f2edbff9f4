use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::nearest;
use crate::values::policy::{KeyFault, attribute, attributes};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unknown-condition-key",
    page: include_str!("../../../rules/unknown-condition-key.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let conditions = mesh
        .all::<AuthorizationPolicy<'_>>()
        .flat_map(|policy| policy.body.conditions());
    for key in conditions.filter_map(|condition| condition.key.as_ref()) {
        if let (Err(fault), false) = (attribute(key), is_placeholder(key)) {
            report(mesh, key, fault, findings);
        }
    }
}

fn report(mesh: &Mesh<'_>, key: &Text<'_>, fault: KeyFault, findings: &mut Findings) {
    let (message, help) = match fault {
        KeyFault::Keyless => (
            format!("`{key}` does not say which entry in brackets"),
            "istiod's webhook refuses the policy; write it as `request.headers[x-tenant]` or `request.auth.claims[group]`",
        ),
        KeyFault::Retired => (
            format!("`{key}` is an attribute no more"),
            "istiod's webhook refuses the policy; the policy's own namespace and selector say which workloads are meant",
        ),
        KeyFault::Unknown => (
            format!("there is no attribute `{key}`"),
            "istiod's webhook refuses the policy; conditions know `source.*`, `remote.ip`, `request.headers[…]`, `request.auth.*`, `destination.ip`, `destination.port` and `connection.sni`",
        ),
    };
    let near = nearest(key, attributes()).filter(|_| fault == KeyFault::Unknown);
    findings
        .add(key, message)
        .help(help)
        .fix(Fix::nearest(mesh.sources, key, near));
}
