//! The chains of a gateway between networks: connections go to the cluster that their SNI names.

use super::listeners::{Chains, chain};
use super::model::Server;
use crate::envoy::clusters::{Destination, destinations};
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

/// A chain for each port and subset of the services of the mesh that the server's hosts cover. No policy guards it
/// (catalogue: gateways, 50).
pub fn chains(chains: &Chains<'_, '_, '_>, server: &Server) -> Vec<FilterChain> {
    let is_served = |host: &str| server.hosts.iter().any(|served| is_covered(host, &served.host));
    let all = destinations(chains.world, chains.filters.proxy, chains.scope);
    let served = all.filter(|destination| !destination.service.external && is_served(&destination.service.host));
    served
        .map(|destination| to_cluster(chains, server, &destination))
        .collect()
}

fn to_cluster<'m, 'a>(
    chains: &Chains<'_, 'm, 'a>,
    server: &Server,
    destination: &Destination<'_, 'm, 'a>,
) -> FilterChain {
    let cluster = destination.sni();
    let mut tcp_proxy = TcpProxy {
        cluster: cluster.clone(),
        stat_prefix: cluster.clone(),
        ..TcpProxy::default()
    };
    let port = destination.port().number;
    let subset = destination.subset_name();
    chains
        .forwarding()
        .apply_policy(destination.service, port, subset, &mut tcp_proxy);
    let unguarded = TcpChain {
        is_guarded: false,
        ..TcpChain::new(Traffic::Gateway, Some(server.port))
    };
    let mut origin = Origin::of(server.span);
    origin.add(destination.service.span);
    FilterChain {
        filter_chain_match: Some(FilterChainMatch {
            server_names: vec![cluster],
            application_protocols: MESH_PROTOCOLS.map(Str::new_static).to_vec(),
            ..FilterChainMatch::default()
        }),
        ..chain(chains.filters.tcp(unguarded, tcp_proxy), origin)
    }
}
