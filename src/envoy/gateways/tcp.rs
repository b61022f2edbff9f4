//! Chains of gateways that pass bytes on: by rules for TCP, or by the SNI of connections that are not decrypted.

use super::listeners::{Chains, chain, names_of_sni};
use super::merge::{Group, Placed};
use super::model::{Server, ServerTls};
use crate::envoy::filters::{TcpChain, Traffic};
use crate::envoy::message::{Filter, FilterChain, Origin, Str};
use crate::envoy::routing::connections::{Forwarding, mongo_proxy};
use crate::envoy::routing::model::{ConnectionMatch, VirtualRoutes, WeightedDestination};
use crate::envoy::unused::{Reason, Unused};
use crate::mesh::Protocol;
use crate::source::Span;
use crate::values::host::overlap;

/// The filters of a server for TCP: those of the first rule that fits, if there is one (catalogue: gateways, 46, 47).
pub fn filters<'m>(chains: &mut Chains<'_, 'm, '_>, placed: Placed<'_, 'm>) -> Option<(Vec<Filter>, Origin)> {
    let key = placed.gateway.key();
    let world = chains.world;
    let served = world.routes.of_gateway(&key, chains.filters.proxy.namespace);
    let served = served.filter(|(_, routes)| serves(placed.server, routes));
    let mut fitting = served.flat_map(|(id, routes)| {
        let rules = routes.tcp.iter().filter(|rule| {
            rule.matches.is_empty()
                || rule
                    .matches
                    .iter()
                    .any(|condition| holds(condition, placed.server, &key))
        });
        rules.map(move |rule| (id, routes, rule))
    });
    let (id, routes, rule) = fitting.next()?;
    for (other, _, late) in fitting {
        let reason = if other == id {
            Reason::Unreachable
        } else {
            Reason::Shadowed
        };
        chains.lose(reason, &late.origin, rule.origin.0.first().copied());
    }
    let mut origin = Origin::of(placed.server.span);
    rule.origin.0.iter().for_each(|span| origin.add(*span));
    Some((chains.forward(placed.server, routes, &rule.destinations), origin))
}

/// The chains of a server that passes TLS through: one for each match, unless some of its names are taken (catalogue:
/// gateways, 48, 49).
pub fn passthrough<'m>(
    chains: &mut Chains<'_, 'm, '_>,
    group: &Group<'_, 'm>,
    placed: Placed<'_, 'm>,
) -> Vec<FilterChain> {
    let key = placed.gateway.key();
    let world = chains.world;
    let namespace = chains.filters.proxy.namespace;
    let served = world
        .routes
        .of_gateway(&key, namespace)
        .filter(|(_, routes)| serves(placed.server, routes));
    let mut made = Vec::new();
    for (_, routes) in served {
        for rule in &routes.tls {
            for condition in rule
                .matches
                .iter()
                .filter(|condition| holds(&condition.connection, placed.server, &key))
            {
                let place = rule.origin.0.first().copied().unwrap_or(placed.server.span);
                if let Some(rival) = chains.pass(group, &condition.sni_hosts, place) {
                    chains.lose(Reason::Shadowed, &rule.origin, Some(rival));
                    continue;
                }
                let mut origin = Origin::of(placed.server.span);
                rule.origin.0.iter().for_each(|span| origin.add(*span));
                made.push(FilterChain {
                    filter_chain_match: names_of_sni(condition.sni_hosts.iter()),
                    ..chain(chains.forward(placed.server, routes, &rule.destinations), origin)
                });
            }
        }
    }
    made
}

/// Whether a server and routes share a host.
pub fn serves(server: &Server, routes: &VirtualRoutes<'_>) -> bool {
    let admitted = server.hosts.iter().filter(|host| host.admits(routes.namespace));
    admitted
        .into_iter()
        .any(|served| routes.hosts.iter().any(|host| overlap(&served.host, host)))
}

/// Whether a condition holds for connections of a server. Sources do not count at gateways.
fn holds(condition: &ConnectionMatch, server: &Server, gateway: &Str) -> bool {
    condition.port.is_none_or(|port| port == server.port)
        && (condition.gateways.is_empty() || condition.gateways.contains(gateway))
}

impl<'m, 'a> Chains<'_, 'm, 'a> {
    /// Passes connections on for the proxy.
    pub fn forwarding(&self) -> Forwarding<'_, 'm, 'a> {
        Forwarding {
            world: self.world,
            proxy: self.filters.proxy,
            scope: self.scope,
        }
    }

    /// Takes names of SNI for a rule, unless a chain of the listener has one of them, whose rule is returned.
    fn pass(&mut self, group: &Group<'_, '_>, names: &[Str], rule: Span) -> Option<Span> {
        let passed = self.passed.entry((group.port, Str::new(group.bind))).or_default();
        let rival = names.iter().find_map(|name| passed.get(name)).copied();
        if rival.is_none() {
            passed.extend(names.iter().map(|name| (name.clone(), rule)));
        }
        rival
    }

    /// Notes that a rule came to nothing.
    fn lose(&mut self, reason: Reason, rule: &Origin, because: Option<Span>) {
        let place = rule.0.first();
        self.unused.extend(place.map(|span| Unused {
            reason,
            span: *span,
            because,
        }));
    }

    /// The filters that pass connections on to destinations.
    fn forward(
        &self,
        server: &Server,
        routes: &VirtualRoutes<'_>,
        destinations: &[WeightedDestination],
    ) -> Vec<Filter> {
        let tcp_proxy = self.forwarding().led(routes, destinations, server.port);
        let chain = TcpChain {
            metadata_exchange: matches!(server.tls, ServerTls::IstioMutual(_)),
            ..TcpChain::new(Traffic::Gateway, Some(server.port))
        };
        if server.protocol == Protocol::Mongo {
            let before = mongo_proxy(&tcp_proxy.stat_prefix);
            self.filters.tcp_with(chain, before, tcp_proxy)
        } else {
            self.filters.tcp(chain, tcp_proxy)
        }
    }
}
