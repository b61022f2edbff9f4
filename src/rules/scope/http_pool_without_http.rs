use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, Protocol};
use crate::model::istio::Sidecar;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "http-pool-without-http",
    page: include_str!("../../../rules/http-pool-without-http.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        for listener in &sidecar.ingress {
            let pool = listener.connection_pool.as_ref().and_then(|pool| pool.http.as_ref());
            let protocol = listener.port.as_ref().and_then(|port| port.protocol.as_ref());
            let (Some(pool), Some(protocol)) = (pool, protocol) else {
                continue;
            };
            if Protocol::from_name(protocol).is_some_and(|protocol| !protocol.is_http()) {
                findings
                    .add(pool.span, format!("limits for HTTP have no effect on a port of protocol `{protocol}`"))
                    .related(protocol, "the protocol")
                    .help("the webhook lets it pass with a warning; use `connectionPool.tcp`, or the protocol that the port really carries");
            }
        }
    }
}
