//! Which services a gateway's routes lead to.

use rustc_hash::FxHashSet;

use super::running::{PortMap, running};
use crate::envoy::message::Str;
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::routing::model::{HttpRule, VirtualRoutes};
use crate::envoy::{World, providers};

/// The hosts that a gateway has clusters for: those that routes at its Gateways name, exported to it or not, and those of
/// extension providers (catalogue: gateways, 52). `None` is all that a proxy sees, as it is by default.
pub fn referenced_hosts<'m, 'a>(world: &World<'m, 'a>, proxy: &PodGroup<'m, 'a>) -> Option<FxHashSet<Str>> {
    let filters = world.environment.flag("PILOT_FILTER_GATEWAY_CLUSTER_CONFIG", false);
    if !filters || proxy.role != Some(Role::Gateway) {
        return None;
    }
    let ports = PortMap::of(world, proxy);
    let gateways = running(world, proxy, &ports)
        .into_iter()
        .filter(|gateway| !gateway.servers.is_empty());
    let mut hosts = FxHashSet::default();
    let mut runs_any = false;
    for gateway in gateways {
        runs_any = true;
        let routes = world.routes.named(&gateway.key());
        routes.for_each(|routes| hosts.extend(destinations(routes).cloned()));
    }
    if runs_any {
        let services = providers::services(world);
        hosts.extend(services.map(|service| Str::new(service.split_once('/').map_or(service, |(_, host)| host))));
    }
    Some(hosts)
}

fn destinations<'r>(routes: &'r VirtualRoutes<'_>) -> impl Iterator<Item = &'r Str> {
    let http = routes.http.iter().flat_map(HttpRule::destinations);
    let tls = routes.tls.iter().flat_map(|rule| &rule.destinations);
    let tcp = routes.tcp.iter().flat_map(|rule| &rule.destinations);
    let connections = tls.chain(tcp).map(|weighted| &weighted.destination);
    http.chain(connections).map(|destination| &destination.host)
}
