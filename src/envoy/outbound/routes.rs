//! Route configurations.

use super::Outbound;
use super::unused::Claims;
use crate::envoy::message::DirectResponse;
use crate::envoy::message::{Route, RouteAction, RouteConfiguration, RouteMatch, Str, VirtualHost};
use crate::envoy::registry::ServiceId;

/// Where the routes of a listener come from.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The name by which they are asked for.
    pub name: Str,
    /// The port; 0 for all.
    pub port: u32,
    /// The only service, where the listener's address says so.
    pub only: Option<ServiceId>,
    /// The listener of the scope whose services and routes count.
    pub egress: Option<usize>,
}

/// What all route configurations say.
pub(super) fn settings() -> RouteConfiguration {
    RouteConfiguration {
        ignore_port_in_host_matching: true,
        max_direct_response_body_size_bytes: Some(1_048_576),
        validate_clusters: Some(false),
        ..RouteConfiguration::default()
    }
}

impl Outbound<'_, '_, '_> {
    /// A source of routes: that of the first listener of the Sidecar with this port, else of the one for all (catalogue:
    /// Sidecar, 58).
    pub(super) fn source(&self, name: Str, port: u32, only: Option<ServiceId>) -> Source {
        let mut listeners = self.scope.listeners.iter();
        let egress = listeners.position(|listener| match listener.port {
            None => true,
            Some(0) => port == 0 && listener.bind.as_ref() == Some(&name),
            Some(number) => number == port,
        });
        let is_proxy = egress.is_some_and(|place| self.scope.listeners[place].is_proxy);
        Source {
            name,
            port: if is_proxy { 0 } else { port },
            only,
            egress,
        }
    }

    /// The route configuration of a source. The last virtual host takes what no other does, unless there is only one anyway.
    pub(super) fn route_configuration(&self, source: &Source, claims: &mut Claims) -> Option<RouteConfiguration> {
        let egress = source.egress?;
        let mut virtual_hosts = self.virtual_hosts(source, egress, claims);
        if source.only.is_some() {
            virtual_hosts = sniffed(virtual_hosts, &source.name);
        } else {
            virtual_hosts.sort_by(|a, b| a.name.cmp(&b.name));
            virtual_hosts.push(self.last_host());
        }
        let mut configuration = settings();
        for host in &virtual_hosts {
            host.origin.0.iter().for_each(|span| configuration.origin.add(*span));
        }
        Some(RouteConfiguration {
            name: source.name.clone(),
            virtual_hosts,
            ..configuration
        })
    }

    fn last_host(&self) -> VirtualHost {
        if self.scope.outbound_traffic.dynamic_dns {
            return self.dynamic_dns_host();
        }
        if self.scope.outbound_traffic.allow_any {
            return self.unmatched_host("allow_any", self.unmatched_cluster());
        }
        let route = Route {
            name: Str::new_static("block_all"),
            r#match: everything(),
            direct_response: Some(DirectResponse {
                status: 502,
                body: None,
            }),
            ..Route::default()
        };
        self.catch_all_host("block_all", route)
    }

    /// A virtual host for all names that leads to one cluster.
    pub(super) fn unmatched_host(&self, name: &'static str, cluster: Str) -> VirtualHost {
        let action = RouteAction {
            cluster,
            timeout: Str::new_static("0s"),
            max_grpc_timeout: Str::new_static("0s"),
            ..RouteAction::default()
        };
        let route = Route {
            name: Str::new_static(name),
            r#match: everything(),
            route: Some(Box::new(action)),
            ..Route::default()
        };
        self.catch_all_host(name, route)
    }

    fn catch_all_host(&self, name: &'static str, route: Route) -> VirtualHost {
        VirtualHost {
            name: Str::new_static(name),
            domains: vec![Str::new_static("*")],
            include_request_attempt_count: self.filters.settings.headers.attempt_count,
            routes: vec![route],
            ..VirtualHost::default()
        }
    }
}

/// Every request.
pub(super) fn everything() -> RouteMatch {
    RouteMatch {
        prefix: Some(Str::new_static("/")),
        ..RouteMatch::default()
    }
}

/// The one virtual host of the service takes every name (catalogue: listeners, 4).
fn sniffed(virtual_hosts: Vec<VirtualHost>, name: &str) -> Vec<VirtualHost> {
    let own = virtual_hosts.into_iter().find(|host| host.name == name);
    let taking_all = own.map(|host| VirtualHost {
        domains: vec![Str::new_static("*")],
        ..host
    });
    taking_all.into_iter().collect()
}
