use std::collections::BTreeMap;

use crate::envoy::World;
use crate::envoy::client_tls::ClientTls;
use crate::envoy::fleet::Fleet;
use crate::envoy::mtls::Mode;
use crate::findings::{Findings, Severity};
use crate::model::istio::{DestinationRule, PeerAuthentication};
use crate::rules::{Check, Fixes, Limits, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "mutual-tls-to-plaintext-workload",
    page: include_str!("../../../rules/mutual-tls-to-plaintext-workload.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["KIA0505", "KIA0506"],
    check: Check::Proxy(check),
};

/// Modes of clients by the place of the mode that contradicts them.
type Contradictions = BTreeMap<Span, Vec<Span>>;

fn check(fleet: &Fleet<'_, '_, '_>, _: &Limits, findings: &mut Findings) {
    let world = fleet.world;
    let mut contradictions = Contradictions::new();
    for rule in world.mesh.all::<DestinationRule<'_>>() {
        for tls in ClientTls::of(rule) {
            contradict(world, &tls, &mut contradictions);
        }
    }
    for (mode, clients) in contradictions {
        let finding = findings.add(
            mode,
            "these servers take no TLS, and clients are told to speak mutual TLS to them",
        );
        finding.help("every connection of these clients is closed; drop `tls` from the DestinationRule, or let the servers take mutual TLS with mode PERMISSIVE");
        for client in clients {
            finding.related(client, "the mode of the clients");
        }
    }
}

fn contradict<'m, 'a>(world: &World<'m, 'a>, tls: &ClientTls<'m, 'a>, contradictions: &mut Contradictions) {
    let reach = world.reach(tls.rule);
    // Certificates of the client's own may be meant for an application that ends TLS itself.
    if !(tls.mode() == "ISTIO_MUTUAL" || tls.mode() == "MUTUAL" && reach.is_some()) {
        return;
    }
    let mut add = |mode: Span| {
        let clients = contradictions.entry(mode).or_default();
        if !clients.contains(&tls.span()) {
            clients.push(tls.span());
        }
    };
    for server in world.servers(tls).filter(|server| server.endpoint.mtls) {
        if world.mode_of(server.endpoint) == Some(Mode::Disable)
            && let Some(place) = world.mode_place(server.endpoint, "DISABLE")
        {
            add(place);
        }
    }
    if reach.is_none() {
        return;
    }
    for policy in world.mesh.all::<PeerAuthentication<'_>>() {
        let namespace = policy.header.namespace.as_str();
        let Some(mode) = policy.body.mtls.as_ref().and_then(|mtls| mtls.mode) else {
            continue;
        };
        let root = namespace == world.mesh.settings.root_namespace;
        let level = if root { "" } else { namespace };
        let decides = world
            .level_policy(level)
            .is_some_and(|decisive| decisive.id == policy.id);
        if mode.as_str() == "DISABLE" && decides && world.is_for_namespace(tls, level) {
            add(mode.span);
        }
    }
}
