//! Chains for connections that are not HTTP, as rules for TLS and TCP lead them.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde_json::json;

use super::Outbound;
use super::draft::words;
use crate::envoy::filters::{TcpChain, Traffic};
use crate::envoy::message::{CidrRange, Filter, FilterChain, FilterChainMatch, Json, Metadata, Origin, Str, TcpProxy};
use crate::envoy::registry::Resolution;
use crate::envoy::routing::RoutesId;
use crate::envoy::routing::compile::cluster_name;
use crate::envoy::routing::connections::{Forwarding, mongo_proxy};
use crate::envoy::routing::model::{ConnectionMatch, VirtualRoutes, WeightedDestination};
use crate::envoy::scope::Imported;
use crate::mesh::Protocol;
use crate::values::address;

/// A port of a service for which a listener wants chains.
#[derive(Clone, Copy)]
pub(super) struct Connection<'c> {
    /// The service.
    pub imported: &'c Imported,
    /// The listener's port.
    pub port: u32,
    /// What the listener takes the bytes for.
    pub protocol: Protocol,
    /// The range of addresses that stands for the service on a listener of several.
    pub range: Option<&'c str>,
    /// Whether services are told apart by their names, as the listener is for all addresses.
    pub by_name: bool,
    /// The routes that hold on the listener.
    pub routes: &'c [RoutesId],
}

impl<'m, 'a> Outbound<'_, 'm, 'a> {
    /// The chains of a port of a service.
    pub(super) fn connection_chains(&self, connection: &Connection<'_>) -> Vec<FilterChain> {
        if connection.protocol.is_tls() {
            self.tls_chains(connection)
        } else {
            self.tcp_chains(connection)
        }
    }

    /// One chain for each set of names; without any match the service itself (catalogue: routes, 53).
    fn tls_chains(&self, connection: &Connection<'_>) -> Vec<FilterChain> {
        let mut chains: Vec<FilterChain> = Vec::new();
        let mut seen = FxHashSet::default();
        for routes in connection.routes.iter().map(|id| &self.world.routes.all[*id]) {
            for rule in &routes.tls {
                for entry in rule
                    .matches
                    .iter()
                    .filter(|entry| self.may_match(&entry.connection, connection.port))
                {
                    let own = &entry.connection.destination_subnets;
                    let ranges: Vec<&str> = if own.is_empty() || connection.port == 0 {
                        connection.range.into_iter().collect()
                    } else {
                        own.iter().map(Str::as_str).collect()
                    };
                    let conditions = conditions(&ranges, &entry.sni_hosts);
                    if seen.insert(conditions.as_ref().map(words)) {
                        chains.push(FilterChain {
                            metadata: Some(Metadata::credit(routes.credit.clone())),
                            ..self.led(connection, routes, &rule.destinations, conditions, &rule.origin)
                        });
                    }
                }
            }
        }
        if chains.is_empty() {
            let service = self.service(connection.imported.service);
            let names = if connection.by_name {
                std::slice::from_ref(&service.host)
            } else {
                &[]
            };
            let ranges: Vec<&str> = connection.range.into_iter().collect();
            chains.push(self.own(connection, conditions(&ranges, names)));
        }
        chains
    }

    /// The first rule without ranges of addresses takes all; those with ranges come before it, and before the service itself
    /// (catalogue: routes, 52).
    fn tcp_chains(&self, connection: &Connection<'_>) -> Vec<FilterChain> {
        let own: Vec<&str> = connection.range.into_iter().collect();
        let mut chains: Vec<FilterChain> = Vec::new();
        for routes in connection.routes.iter().map(|id| &self.world.routes.all[*id]) {
            for rule in &routes.tcp {
                let fitting: Vec<&ConnectionMatch> = rule
                    .matches
                    .iter()
                    .filter(|entry| self.may_match(entry, connection.port))
                    .collect();
                if fitting.is_empty() && !rule.matches.is_empty() {
                    continue;
                }
                let takes_all = |entry: &&ConnectionMatch| entry.destination_subnets.is_empty() || connection.port == 0;
                let all = fitting.is_empty() || fitting.iter().any(takes_all);
                let ranges: Vec<&str> = if all {
                    own.clone()
                } else {
                    fitting
                        .iter()
                        .flat_map(|entry| &entry.destination_subnets)
                        .map(Str::as_str)
                        .collect()
                };
                let chain = self.led(
                    connection,
                    routes,
                    &rule.destinations,
                    conditions(&ranges, &[]),
                    &rule.origin,
                );
                chains.push(FilterChain {
                    metadata: all.then(|| Metadata::credit(routes.credit.clone())),
                    ..chain
                });
                if all || ranges == own {
                    return chains;
                }
            }
        }
        chains.push(self.own(connection, conditions(&own, &[])));
        chains
    }

    /// Whether a match is for this proxy and port; unlike for HTTP, gateways and source must both fit.
    fn may_match(&self, entry: &ConnectionMatch, port: u32) -> bool {
        let gateways = entry.gateways.is_empty() || entry.gateways.iter().any(|gateway| gateway == "mesh");
        let labels = entry
            .source_labels
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()));
        let namespace = entry.source_namespace.as_deref();
        gateways
            && entry.port.is_none_or(|number| number == port)
            && self.proxy.has(labels)
            && namespace.is_none_or(|namespace| namespace == self.proxy.namespace)
    }

    /// A chain that rules lead elsewhere.
    fn led(
        &self,
        connection: &Connection<'_>,
        routes: &VirtualRoutes<'m>,
        destinations: &[WeightedDestination],
        conditions: Option<FilterChainMatch>,
        origin: &Origin,
    ) -> FilterChain {
        let tcp_proxy = self.forwarding().led(routes, destinations, connection.port);
        let service = self.service(connection.imported.service);
        let mut origin = origin.clone();
        origin.add(service.span);
        self.chain(connection, conditions, tcp_proxy, origin)
    }

    /// The chain of the service itself.
    fn own(&self, connection: &Connection<'_>, conditions: Option<FilterChainMatch>) -> FilterChain {
        let service = self.service(connection.imported.service);
        let mut ports = connection.imported.ports(service);
        let only = ports.next().filter(|_| ports.next().is_none());
        let port = only.map_or(connection.port, |port| port.number);
        let cluster = cluster_name(port, "", &service.host);
        let forwarding = self.forwarding();
        let mut tcp_proxy = TcpProxy {
            stat_prefix: forwarding.stat_prefix(&cluster, Some(service), port, ""),
            cluster,
            ..TcpProxy::default()
        };
        forwarding.apply_policy(service, port, "", &mut tcp_proxy);
        self.chain(connection, conditions, tcp_proxy, Origin::of(service.span))
    }

    fn forwarding(&self) -> Forwarding<'_, 'm, 'a> {
        Forwarding {
            world: self.world,
            proxy: self.proxy,
            scope: self.scope,
        }
    }

    fn chain(
        &self,
        connection: &Connection<'_>,
        conditions: Option<FilterChainMatch>,
        tcp_proxy: TcpProxy,
        origin: Origin,
    ) -> FilterChain {
        let chain = TcpChain::new(Traffic::Outbound, Some(connection.port));
        let service = self.service(connection.imported.service);
        let before = match connection.protocol {
            Protocol::Mongo => Some(mongo_proxy(&tcp_proxy.stat_prefix)),
            Protocol::Tls | Protocol::Https if service.resolution == Resolution::DynamicDns => {
                Some(resolve_sni(&service.host, connection.port))
            }
            _ => None,
        };
        let filters = match before {
            Some(before) => self.filters.tcp_with(chain, before, tcp_proxy),
            None => self.filters.tcp(chain, tcp_proxy),
        };
        FilterChain {
            filter_chain_match: conditions,
            filters,
            transport_socket_connect_timeout: Str::new_static("15s"),
            origin,
            ..FilterChain::default()
        }
    }
}

fn conditions(ranges: &[&str], names: &[Str]) -> Option<FilterChainMatch> {
    let prefix_ranges: Vec<CidrRange> = ranges.iter().filter_map(|range| cidr_range(range)).collect();
    (!prefix_ranges.is_empty() || !names.is_empty()).then(|| FilterChainMatch {
        prefix_ranges,
        server_names: names.to_vec(),
        ..FilterChainMatch::default()
    })
}

/// A range as it is written: bits behind its length are kept.
fn cidr_range(text: &str) -> Option<CidrRange> {
    let range = address::parse_prefix(text);
    let single = || address::parse(text).map(|address| (address, if address.is_ipv4() { 32 } else { 128 }));
    let (prefix, length) = range.or_else(single)?;
    Some(CidrRange {
        address_prefix: Str::from(prefix.to_string()),
        prefix_len: Some(u32::from(length)),
    })
}

/// Resolves the name of the SNI (catalogue: ServiceEntries, 47).
fn resolve_sni(host: &str, port: u32) -> Filter {
    let config: Json = Arc::new(json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.sni_dynamic_forward_proxy.v3.FilterConfig",
        "dnsCacheConfig": dns_cache(host),
        "portValue": port,
    }));
    Filter::json("envoy.extensions.filters.network.sni_dynamic_forward_proxy", config)
}

/// The cache of the names that a host covers.
pub(super) fn dns_cache(host: &str) -> Json {
    Arc::new(json!({"dnsLookupFamily": "V4_ONLY", "name": format!("{host}_dfp_dns_cache")}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_their_bits() {
        let range = cidr_range("172.16.5.4/16").expect("it is a range");
        assert_eq!(
            (range.address_prefix.as_str(), range.prefix_len),
            ("172.16.5.4", Some(16))
        );
        assert_eq!(cidr_range("10.0.0.1").and_then(|range| range.prefix_len), Some(32));
        assert!(cidr_range("vip(web.shop)").is_none());
    }
}
