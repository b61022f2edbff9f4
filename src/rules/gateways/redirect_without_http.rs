use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, Protocol};
use crate::model::istio::Gateway;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "redirect-without-http",
    page: include_str!("../../../rules/redirect-without-http.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        for server in &gateway.servers {
            let redirect = server.tls.as_ref().and_then(|tls| tls.https_redirect);
            let protocol = server.port.as_ref().and_then(|port| port.protocol.as_ref());
            let (Some(redirect), Some(protocol)) = (redirect.filter(|redirect| redirect.value), protocol) else {
                continue;
            };
            if Protocol::from_name(protocol).is_some_and(|protocol| !protocol.is_http()) {
                findings
                    .add(redirect, format!("a server of protocol `{protocol}` redirects nobody to HTTPS"))
                    .related(protocol, "the protocol")
                    .help("the webhook lets it pass with a warning and it has no effect: only plain HTTP can be redirected, so it belongs to the server on port 80");
            }
        }
    }
}
