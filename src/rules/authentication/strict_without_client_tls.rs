use std::collections::BTreeMap;

use crate::envoy::World;
use crate::envoy::client_tls::{ClientTls, Server};
use crate::envoy::fleet::Fleet;
use crate::envoy::mtls::Mode;
use crate::findings::{Findings, Severity};
use crate::mesh::Object;
use crate::model::Slot;
use crate::model::istio::{DestinationRule, PeerAuthentication};
use crate::rules::{Check, Fixes, Limits, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "strict-without-client-tls",
    page: include_str!("../../../rules/strict-without-client-tls.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["KIA0401", "KIA0501"],
    check: Check::Proxy(check),
};

fn check(fleet: &Fleet<'_, '_, '_>, _: &Limits, findings: &mut Findings) {
    let world = fleet.world;
    let servers = strict_servers(world);
    if servers.is_empty() && world.environment.auto_mtls {
        return;
    }
    let rules = world.mesh.all::<DestinationRule<'_>>().flat_map(ClientTls::of);
    let mutual: Vec<_> = rules
        .filter(|tls| matches!(tls.mode(), "ISTIO_MUTUAL" | "MUTUAL"))
        .collect();
    let mut unmet: BTreeMap<Span, &Server<'_, '_, '_>> = BTreeMap::new();
    for server in servers.iter().filter(|server| !is_reached(world, &mutual, server)) {
        if let Some(place) = world.mode_place(server.endpoint, "STRICT") {
            unmet.entry(place).or_insert(server);
        }
    }
    for (place, server) in unmet {
        let message = format!(
            "no client speaks the mutual TLS that `{}` demands on port {}",
            server.service.host, server.port.number
        );
        let finding = findings.add(place, message);
        finding.help(help(world));
        let level = world
            .level_policy(server.service.namespace)
            .filter(|_| world.environment.auto_mtls);
        if let Some(policy) = level {
            finding.related(
                policy.header.name,
                "clients take this policy for the whole namespace, and speak plain text",
            );
        }
    }
    if !world.environment.auto_mtls {
        let places: Vec<_> = servers
            .iter()
            .filter_map(|server| world.mode_place(server.endpoint, "STRICT"))
            .collect();
        world
            .mesh
            .all::<PeerAuthentication<'_>>()
            .for_each(|policy| judge_level(world, policy, &mutual, &places, findings));
    }
}

fn help(world: &World<'_, '_>) -> &'static str {
    if world.environment.auto_mtls {
        "plain connections are closed; clients look at the modes of mesh and namespace alone: turn TLS off for single workloads instead, or add a DestinationRule with mode ISTIO_MUTUAL"
    } else {
        "plain connections are closed; `enableAutoMtls` is false, so clients speak mutual TLS where a DestinationRule says ISTIO_MUTUAL, and nowhere else"
    }
}

/// Servers that demand mutual TLS where clients by themselves speak plain text.
fn strict_servers<'w, 'm, 'a>(world: &'w World<'m, 'a>) -> Vec<Server<'w, 'm, 'a>> {
    let plain = |namespace: &str| !world.environment.auto_mtls || world.mtls.of_namespace(namespace) == Mode::Disable;
    let services = world
        .registry
        .services
        .iter()
        .filter(|service| !service.external && plain(service.namespace));
    services
        .flat_map(Server::of)
        .filter(|server| world.mode_of(server.endpoint) == Some(Mode::Strict) && world.is_captured(server.endpoint))
        .collect()
}

fn is_reached<'m, 'a>(world: &World<'m, 'a>, mutual: &[ClientTls<'m, 'a>], server: &Server<'_, 'm, 'a>) -> bool {
    mutual.iter().any(|tls| {
        let mut servers = world.servers(tls);
        servers.any(|other| other.service.host == server.service.host && other.port.number == server.port.number)
    })
}

/// A policy for a namespace or the mesh of whose servers none is in the input: rules for all of them would have to be.
fn judge_level<'m, 'a>(
    world: &World<'m, 'a>,
    policy: Object<'m, 'a, PeerAuthentication<'a>>,
    mutual: &[ClientTls<'m, 'a>],
    known: &[Span],
    findings: &mut Findings,
) {
    let namespace = policy.header.namespace.as_str();
    let level = if namespace == world.mesh.settings.root_namespace {
        ""
    } else {
        namespace
    };
    let decides = world
        .level_policy(level)
        .is_some_and(|decisive| decisive.id == policy.id);
    let mode = policy.body.mtls.as_ref().and_then(|mtls| mtls.mode);
    let Some(mode) = mode.filter(|mode| mode.as_str() == "STRICT" && decides && !known.contains(&mode.span)) else {
        return;
    };
    let spoken = mutual.iter().any(|tls| world.is_for_namespace(tls, level));
    if !spoken && world.mesh.owns(Slot::DestinationRule, namespace, policy.header) {
        let who = if level.is_empty() {
            "the mesh".to_owned()
        } else {
            format!("namespace `{namespace}`")
        };
        findings
            .add(mode, format!("no client speaks the mutual TLS that {who} demands"))
            .help(help(world));
    }
}
