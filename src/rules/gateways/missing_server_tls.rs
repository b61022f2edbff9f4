use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, Protocol};
use crate::model::istio::Gateway;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "missing-server-tls",
    page: include_str!("../../../rules/missing-server-tls.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        let bare = gateway.servers.iter().filter(|server| !server.has_tls);
        for server in bare.filter(|_| !gateway.header.patched) {
            let Some(protocol) = server.port.as_ref().and_then(|port| port.protocol.as_ref()) else {
                continue;
            };
            if Protocol::from_name(protocol).is_some_and(Protocol::is_tls) {
                findings
                    .add(server.span, format!("a server of protocol `{protocol}` says nothing about TLS"))
                    .missing("tls")
                    .related(protocol, "the protocol")
                    .help("istiod's webhook refuses the Gateway; add `tls` with a certificate, or with `mode: PASSTHROUGH` to leave TLS to the backend");
            }
        }
    }
}
