use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Spanned;
use crate::model::istio::{IstioEgressListener, Sidecar};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "repeated-sidecar-listener",
    page: include_str!("../../../rules/repeated-sidecar-listener.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        let incoming = sidecar
            .ingress
            .iter()
            .filter_map(|listener| listener.port.as_ref()?.number);
        repeated_ports(incoming, findings);
        let outgoing = sidecar
            .egress
            .iter()
            .filter_map(|listener| listener.port.as_ref()?.number);
        repeated_ports(outgoing, findings);
        repeated_sockets(&sidecar.egress, findings);
    }
}

fn repeated_ports(numbers: impl Iterator<Item = Spanned<i64>>, findings: &mut Findings) {
    let mut seen = FxHashMap::default();
    for number in numbers.filter(|number| number.value != 0) {
        if let Some(earlier) = seen.insert(number.value, number) {
            report(number.span, &format!("port {number}"), earlier.span, findings);
        }
    }
}

fn repeated_sockets(listeners: &[IstioEgressListener<'_>], findings: &mut Findings) {
    let mut seen = FxHashMap::default();
    for listener in listeners {
        let socket = listener
            .bind
            .as_ref()
            .filter(|bind| bind.starts_with("unix://") && !is_placeholder(bind));
        let Some(socket) = socket.filter(|_| listener.port.is_some()) else {
            continue;
        };
        if let Some(earlier) = seen.insert(socket.as_str(), socket) {
            report(socket.span, &format!("`{socket}`"), earlier.span, findings);
        }
    }
}

fn report(at: Span, place: &str, earlier: Span, findings: &mut Findings) {
    findings
        .add(at, format!("another listener of this list has {place} as well"))
        .related(earlier, "the first one")
        .help("istiod's webhook refuses the Sidecar; give each listener a place of its own, or put the hosts into one");
}
