//! The route configurations of a gateway: its virtual hosts and the routes of each.

use rustc_hash::FxHashMap;

use super::merge::{Merged, Placed};
use super::model::Server;
use super::virtual_hosts::{Source, VirtualHosts};
use crate::envoy::World;
use crate::envoy::message::{Origin, Route, RouteConfiguration, Str};
use crate::envoy::pods::PodGroup;
use crate::envoy::routing::compile::{Asker, http_routes};
use crate::envoy::routing::model::VirtualRoutes;
use crate::envoy::routing::{Reached, RoutesId};
use crate::envoy::scope::Scope;
use crate::values::host::is_covered;

/// A route configuration in the making.
#[derive(Debug, Default)]
struct Draft {
    hosts: VirtualHosts,
    /// The routes of each VirtualService at each gateway; `None` where no rule is for it.
    sources: FxHashMap<(Str, RoutesId), Option<Source>>,
}

/// What the routes of a gateway are made of.
#[derive(Clone, Copy, Debug)]
pub struct RouteMaker<'c, 'm, 'a> {
    /// Everything that does not depend on the proxy.
    pub world: &'c World<'m, 'a>,
    /// The proxy.
    pub proxy: &'c PodGroup<'m, 'a>,
    /// What it is told of.
    pub scope: &'c Scope,
    /// Whether requests count their attempts.
    pub counts_attempts: bool,
}

impl<'m> RouteMaker<'_, 'm, '_> {
    /// The route configurations of all listeners.
    pub fn all(&self, merged: &Merged<'_, 'm>, reached: &mut Reached) -> Vec<RouteConfiguration> {
        let all = merged.routes.iter();
        all.map(|(name, servers)| self.one(name, servers, reached)).collect()
    }

    fn one(&self, name: &Str, servers: &[Placed<'_, 'm>], reached: &mut Reached) -> RouteConfiguration {
        let mut draft = Draft::default();
        for placed in servers {
            self.fill(&mut draft, *placed, reached);
        }
        let port = servers.first().map_or(0, |first| first.server.port);
        RouteConfiguration {
            name: name.clone(),
            ignore_port_in_host_matching: true,
            max_direct_response_body_size_bytes: Some(1_048_576),
            validate_clusters: Some(false),
            virtual_hosts: draft.hosts.finish(port, self.counts_attempts, reached),
            origin: Origin(servers.iter().map(|placed| placed.server.span).collect()),
            ..RouteConfiguration::default()
        }
    }

    /// Adds what a server brings: the routes of its gateway, as often as they name it (catalogue: gateways, 39), and
    /// redirects to HTTPS.
    fn fill(&self, draft: &mut Draft, placed: Placed<'_, 'm>, reached: &mut Reached) {
        let (key, server) = (placed.gateway.key(), placed.server);
        for (id, routes) in self.world.routes.of_gateway(&key, self.proxy.namespace) {
            let shared = shared_hosts(server, routes);
            if shared.is_empty() {
                continue;
            }
            let source = *draft.sources.entry((key.clone(), id)).or_insert_with(|| {
                let made = self.compile(&key, server, routes);
                reached.cut(routes, &made);
                draft.hosts.source(made, routes.span)
            });
            let times = routes.gateways.iter().filter(|gateway| **gateway == key).count();
            for source in std::iter::repeat_n(source, times).flatten() {
                shared.iter().for_each(|host| draft.hosts.add(host, server, source));
            }
        }
        if server.https_redirect {
            let hosts = server.hosts.iter();
            hosts.for_each(|host| draft.hosts.redirect(&host.text(), server));
        }
    }

    /// The routes at a gateway. They are made for the first of its servers that has one of their hosts (catalogue: gateways,
    /// 37 and 40).
    fn compile(&self, gateway: &Str, server: &Server, routes: &VirtualRoutes<'_>) -> Vec<Route> {
        let asker = Asker {
            proxy: self.proxy,
            scope: self.scope,
            gateways: std::slice::from_ref(gateway),
            source_namespace: self.proxy.namespace,
            port: server.port,
            is_tls: server.is_tls(),
            whole_services: true,
            waypoint: None,
        };
        http_routes(self.world, routes, &asker)
    }
}

/// The hosts that a server and routes have in common: the narrower of each pair (catalogue: gateways, 33).
fn shared_hosts<'h>(server: &'h Server, routes: &'h VirtualRoutes<'_>) -> Vec<&'h Str> {
    let mut shared = Vec::new();
    for served in server.hosts.iter().filter(|host| host.admits(routes.namespace)) {
        for host in &routes.hosts {
            let narrower = if is_covered(&served.host, host) {
                &served.host
            } else if is_covered(host, &served.host) {
                host
            } else {
                continue;
            };
            if !shared.contains(&narrower) {
                shared.push(narrower);
            }
        }
    }
    shared
}
