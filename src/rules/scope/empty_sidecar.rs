use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Sidecar;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "empty-sidecar",
    page: include_str!("../../../rules/empty-sidecar.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>().filter(|sidecar| !sidecar.header.patched) {
        let listens = !sidecar.ingress.is_empty() || !sidecar.egress.is_empty();
        let limits = sidecar.outbound_traffic_policy.is_some() || sidecar.inbound_connection_pool.is_some();
        if listens || limits {
            continue;
        }
        findings
            .add(sidecar.header.name, format!("Sidecar `{}` sets nothing", sidecar.header.name))
            .missing_at("spec.egress")
            .help("istiod's webhook refuses it; it needs `egress`, `ingress`, `outboundTrafficPolicy` or `inboundConnectionPool`");
    }
}
