//! Chains of gateways that pass bytes on: by rules for TCP, or by the SNI of connections that are not decrypted.

use super::listeners::{Chains, chain, database_filter};
use super::merge::{Group, Placed};
use super::model::{Server, ServerTls};
use crate::envoy::destinations::{Policy, hashes_source_address};
use crate::envoy::filters::{TcpChain, Traffic};
use crate::envoy::message::{
    Filter, FilterChain, FilterChainMatch, Json, Origin, Str, TcpClusterWeight, TcpProxy, TcpWeightedClusters,
};
use crate::envoy::routing::compile::cluster_name;
use crate::envoy::routing::model::{ConnectionMatch, Destination, VirtualRoutes, WeightedDestination};
use crate::envoy::unused::{Reason, Unused};
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
                if let Err(rival) = chains.pass(group, &condition.sni_hosts, &rule.origin) {
                    chains.lose(Reason::Shadowed, &rule.origin, rival);
                    continue;
                }
                let mut origin = Origin::of(placed.server.span);
                rule.origin.0.iter().for_each(|span| origin.add(*span));
                made.push(FilterChain {
                    filter_chain_match: Some(FilterChainMatch {
                        server_names: condition.sni_hosts.clone(),
                        ..FilterChainMatch::default()
                    }),
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

impl<'m> Chains<'_, 'm, '_> {
    /// Takes names of SNI for a chain of a listener; fails with the rule that has one of them.
    fn pass(&mut self, group: &Group<'_, '_>, names: &[Str], origin: &Origin) -> Result<(), Option<Span>> {
        let passed = self.passed.entry((group.port, Str::new(group.bind))).or_default();
        if let Some(rival) = names.iter().find_map(|name| passed.get(name)) {
            return Err(*rival);
        }
        let place = origin.0.first().copied();
        passed.extend(names.iter().map(|name| (name.clone(), place)));
        Ok(())
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
        let tcp_proxy = self.tcp_proxy(server, routes, destinations);
        let chain = TcpChain {
            metadata_exchange: matches!(server.tls, ServerTls::IstioMutual(_)),
            ..TcpChain::new(Traffic::Gateway, Some(server.port))
        };
        match database_filter(server.protocol, &tcp_proxy.stat_prefix) {
            Some(before) => self.filters.tcp_with(chain, before, tcp_proxy),
            None => self.filters.tcp(chain, tcp_proxy),
        }
    }

    fn tcp_proxy(&self, server: &Server, routes: &VirtualRoutes<'_>, destinations: &[WeightedDestination]) -> TcpProxy {
        if let [only] = destinations {
            let cluster = self.cluster(&only.destination, server);
            return TcpProxy {
                hash_policy: self.hash_policy(&only.destination, server),
                stat_prefix: cluster.clone(),
                cluster,
                ..TcpProxy::default()
            };
        }
        let weighted = destinations.iter().filter_map(|weighted| {
            let weight = weighted.weight.filter(|weight| *weight > 0)?;
            Some(TcpClusterWeight {
                name: self.cluster(&weighted.destination, server),
                weight,
            })
        });
        TcpProxy {
            stat_prefix: Str::from(format!("{}.{}", routes.name, routes.namespace)),
            weighted_clusters: Some(TcpWeightedClusters {
                clusters: weighted.collect(),
            }),
            ..TcpProxy::default()
        }
    }

    /// The cluster of a destination. Without a port it is the only one of the service, else that of the server.
    fn cluster(&self, destination: &Destination, server: &Server) -> Str {
        if let Some(cluster) = &destination.cluster {
            return cluster.clone();
        }
        cluster_name(self.port(destination, server), &destination.subset, &destination.host)
    }

    fn port(&self, destination: &Destination, server: &Server) -> u32 {
        let only = || {
            let imported = self.scope.service(&destination.host)?;
            let [only] = self.world.registry.services[imported.service].ports.as_slice() else {
                return None;
            };
            Some(only.number)
        };
        destination.port.or_else(only).unwrap_or(server.port)
    }

    fn hash_policy(&self, destination: &Destination, server: &Server) -> Vec<Json> {
        let hashes = || {
            let imported = self.scope.service(&destination.host)?;
            let service = &self.world.registry.services[imported.service];
            let rule = self.world.destinations.rule_for(self.filters.proxy, service)?;
            let port = self.port(destination, server);
            let policy = Policy::of(
                &self.world.environment,
                Some(rule),
                port,
                rule.subset(&destination.subset),
            );
            hashes_source_address(&policy).then_some(())
        };
        let hash = hashes().map(|()| Json::new(serde_json::json!({"sourceIp": {}})));
        hash.into_iter().collect()
    }
}
