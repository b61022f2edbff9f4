//! The chains of a gateway between networks: connections go to the cluster that their SNI names.

use super::listeners::{Chains, chain};
use super::model::Server;
use crate::envoy::filters::{TcpChain, Traffic};
use crate::envoy::message::{FilterChain, FilterChainMatch, Origin, Str, TcpProxy};
use crate::envoy::routing::compile::sni_cluster_name;
use crate::mesh::Protocol;
use crate::values::host::is_covered;

/// What sidecars offer by ALPN when they speak mTLS.
const MESH_PROTOCOLS: [&str; 5] = [
    "istio",
    "istio-peer-exchange",
    "istio-http/1.0",
    "istio-http/1.1",
    "istio-h2",
];

/// A chain for each port and subset of the services of the mesh that the server's hosts cover (catalogue: gateways, 50).
pub fn chains(chains: &Chains<'_, '_, '_>, server: &Server) -> Vec<FilterChain> {
    let mut made = Vec::new();
    for imported in &chains.scope.services {
        let service = &chains.world.registry.services[imported.service];
        let is_served = server.hosts.iter().any(|host| is_covered(&service.host, &host.host));
        if service.external || !is_served {
            continue;
        }
        let rule = chains.world.destinations.rule_for(chains.filters.proxy, service);
        let subsets = rule
            .iter()
            .flat_map(|rule| &rule.subsets)
            .filter_map(|subset| subset.name);
        let subsets: Vec<Str> = subsets.map(|name| Str::new(name.as_str())).collect();
        let mut origin = Origin::of(server.span);
        origin.add(service.span);
        for port in service.ports.iter().filter(|port| port.protocol != Protocol::Udp) {
            for subset in std::iter::once(&Str::default()).chain(&subsets) {
                let cluster = sni_cluster_name(port.number, subset, &service.host);
                made.push(to_cluster(chains, server, cluster, origin.clone()));
            }
        }
    }
    made
}

fn to_cluster(chains: &Chains<'_, '_, '_>, server: &Server, cluster: Str, origin: Origin) -> FilterChain {
    let tcp_proxy = TcpProxy {
        cluster: cluster.clone(),
        stat_prefix: cluster.clone(),
        ..TcpProxy::default()
    };
    let filters = chains
        .filters
        .tcp(TcpChain::new(Traffic::Gateway, Some(server.port)), tcp_proxy);
    FilterChain {
        filter_chain_match: Some(FilterChainMatch {
            server_names: vec![cluster],
            application_protocols: MESH_PROTOCOLS.map(Str::new_static).to_vec(),
            ..FilterChainMatch::default()
        }),
        ..chain(filters, origin)
    }
}
