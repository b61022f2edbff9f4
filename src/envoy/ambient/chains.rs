//! The chains of a waypoint: one for each port and protocol of its services, and two for pods.

use super::{fixed, routes};
use crate::envoy::filters::{Filters, HttpChain, RouteSource, TcpChain, Traffic};
use crate::envoy::message::{Filter, FilterChain, Str, TcpProxy};
use crate::envoy::registry::{Port, Service};
use crate::envoy::routing::compile::waypoint_cluster_name;
use crate::envoy::scope::Scope;
use crate::mesh::Protocol;

/// The protocols that a port is served as: where nothing says which it is, both.
pub(super) fn protocols(port: &Port) -> &'static [&'static str] {
    match port.protocol {
        Protocol::Udp => &[],
        Protocol::Auto => &["tcp", "http"],
        protocol if protocol.is_http() => &["http"],
        _ => &["tcp"],
    }
}

/// The chains of a service.
pub(super) fn of_service<'m, 'a>(
    filters: &Filters<'_, 'm, 'a>,
    scope: &Scope,
    service: &Service<'m, 'a>,
) -> Vec<FilterChain> {
    let own = filters.for_service(service);
    let mut chains = Vec::new();
    for port in &service.ports {
        for protocol in protocols(port) {
            let name = waypoint_cluster_name(port.number, protocol, "", &service.host);
            let filters = match *protocol {
                "http" => own.http(HttpChain {
                    traffic: Traffic::Waypoint,
                    stat_prefix: Str::from(format!("inbound_0.0.0.0_{}", port.number)),
                    routes: RouteSource::Inline(Box::new(routes::of_port(&own, scope, service, port))),
                    protocol: port.protocol,
                    port: Some(port.number),
                    dns_cache: None,
                }),
                _ => tcp(&own, Some(port.number), &name),
            };
            chains.push(FilterChain {
                name,
                filters,
                ..FilterChain::default()
            });
        }
    }
    chains
}

fn tcp(filters: &Filters<'_, '_, '_>, port: Option<u32>, cluster: &Str) -> Vec<Filter> {
    let chain = TcpChain {
        metadata_exchange: true,
        ..TcpChain::new(Traffic::Waypoint, port)
    };
    let proxy = TcpProxy {
        cluster: cluster.clone(),
        stat_prefix: cluster.clone(),
        ..TcpProxy::default()
    };
    filters.tcp(chain, proxy)
}

/// The chains for connections to pods.
pub(super) fn direct(filters: &Filters<'_, '_, '_>) -> [FilterChain; 2] {
    let authority = || Filter::json("connect_authority", fixed::CONNECTION_AUTHORITY.clone());
    let http = filters.http(HttpChain {
        traffic: Traffic::Waypoint,
        stat_prefix: Str::new_static("inbound_0.0.0.0_0"),
        routes: RouteSource::Inline(Box::new(routes::direct(filters.world))),
        protocol: Protocol::Http,
        port: None,
        dns_cache: None,
    });
    let tcp = tcp(filters, None, &Str::new_static("encap"));
    let chain = |name, rest: Vec<Filter>| FilterChain {
        name: Str::new_static(name),
        filters: std::iter::once(authority()).chain(rest).collect(),
        ..FilterChain::default()
    };
    [chain("direct-tcp", tcp), chain("direct-http", http)]
}
