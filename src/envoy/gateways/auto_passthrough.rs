//! The chains of a gateway between networks: connections go to the cluster that their SNI names.

use super::listeners::{Chains, chain};
use super::model::Server;
use crate::envoy::clusters::destinations;
use crate::envoy::filters::{TcpChain, Traffic};
use crate::envoy::message::{FilterChain, FilterChainMatch, Origin, Str, TcpProxy};
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
    let is_served = |host: &str| server.hosts.iter().any(|served| is_covered(host, &served.host));
    let all = destinations(chains.world, chains.filters.proxy, chains.scope);
    let served = all.filter(|destination| !destination.service.external && is_served(&destination.service.host));
    let made = served.map(|destination| {
        let mut origin = Origin::of(server.span);
        origin.add(destination.service.span);
        to_cluster(chains, server, destination.sni(), origin)
    });
    made.collect()
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
