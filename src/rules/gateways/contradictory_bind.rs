use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{Gateway, Sidecar};
use crate::model::{Spanned, Text};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "contradictory-bind",
    page: include_str!("../../../rules/contradictory-bind.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        for server in &gateway.servers {
            let number = server.port.as_ref().and_then(|port| port.number);
            judge(number, server.bind.as_ref(), findings);
        }
    }
    for sidecar in mesh.all::<Sidecar<'_>>() {
        for listener in &sidecar.egress {
            let number = listener.port.as_ref().and_then(|port| port.number);
            judge(number, listener.bind.as_ref(), findings);
            let numberless = listener
                .port
                .as_ref()
                .filter(|port| !port.has_number && !sidecar.header.patched);
            if let Some(port) = numberless.filter(|_| listener.bind.is_none()) {
                findings
                    .add(port.span, "a port without a number is only for a listener on a Unix socket")
                    .missing("number")
                    .help("istiod's webhook refuses the Sidecar; give the port's number, or leave `port` out to take all ports");
            }
        }
    }
}

fn judge(number: Option<Spanned<i64>>, bind: Option<&Text<'_>>, findings: &mut Findings) {
    let Some(number) = number.filter(|_| !bind.is_some_and(|bind| is_placeholder(bind))) else {
        return;
    };
    let socket = bind.filter(|bind| bind.starts_with("unix://"));
    match (number.value, socket) {
        (0, None) => {
            findings
                .add(number, "port 0 is only for a listener on a Unix socket")
                .help("istiod's webhook refuses it; give the port's number, or `bind` to `unix://` and a path");
        }
        (1.., Some(socket)) => {
            findings
                .add(
                    number,
                    format!("a listener on a Unix socket has no port, and this says {number}"),
                )
                .related(socket, "the socket")
                .help("istiod's webhook refuses it; set `number: 0`, or bind to an address");
        }
        _ => {}
    }
}
