use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, Protocol};
use crate::model::Text;
use crate::model::istio::{Gateway, ServerTlsSettings, Sidecar, SidecarPort};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "tls-on-plain-port",
    page: include_str!("../../../rules/tls-on-plain-port.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        for server in &gateway.servers {
            let protocol = server.port.as_ref().and_then(|port| port.protocol.as_ref());
            if let (Some(protocol), Some(tls)) = (protocol, &server.tls) {
                on_server(protocol, tls, findings);
            }
        }
    }
    for sidecar in mesh.all::<Sidecar<'_>>() {
        for listener in &sidecar.ingress {
            if let (Some(port), Some(tls)) = (&listener.port, &listener.tls) {
                on_listener(port, tls, findings);
            }
        }
    }
}

/// A plain HTTP server may have the redirect to HTTPS and nothing that ends TLS.
fn on_server(protocol: &Text<'_>, tls: &ServerTlsSettings<'_>, findings: &mut Findings) {
    let at = match Protocol::from_name(protocol) {
        Some(plain) if plain.is_http() => ending(tls),
        Some(other) if !other.is_tls() => Some(place(tls)),
        _ => None,
    };
    if let Some(at) = at {
        findings
            .add(at, format!("the server's protocol `{protocol}` has no TLS"))
            .related(protocol, "the protocol")
            .help("istiod's webhook refuses the Gateway; a server that ends TLS has the protocol `HTTPS` or `TLS`");
    }
}

/// What shows that TLS should end here.
fn ending(tls: &ServerTlsSettings<'_>) -> Option<Span> {
    let mode = tls
        .mode
        .filter(|mode| matches!(mode.as_str(), "SIMPLE" | "MUTUAL" | "OPTIONAL_MUTUAL" | "ISTIO_MUTUAL"));
    let files = [&tls.server_certificate, &tls.private_key, &tls.ca_certificates];
    let mut files = files.into_iter().flatten().filter(|file| !file.is_empty());
    mode.map(|mode| mode.span)
        .or_else(|| files.next().map(|file| file.span))
}

fn place(tls: &ServerTlsSettings<'_>) -> Span {
    tls.mode.map_or(tls.span, |mode| mode.span)
}

fn on_listener(port: &SidecarPort<'_>, tls: &ServerTlsSettings<'_>, findings: &mut Findings) {
    let said = port.protocol.filter(|protocol| !protocol.is_empty());
    if said.is_some_and(|said| is_placeholder(&said) || Protocol::from_name(&said).is_some_and(Protocol::is_tls)) {
        return;
    }
    let message = said.map_or_else(
        || "the listener ends TLS and its port names no protocol".to_owned(),
        |protocol| format!("the listener's protocol `{protocol}` has no TLS"),
    );
    findings
        .add(place(tls), message)
        .related(said.map_or(port.span, |protocol| protocol.span), "the port")
        .help("istiod's webhook refuses the Sidecar; a listener that ends TLS has the protocol `HTTPS` or `TLS`");
}
