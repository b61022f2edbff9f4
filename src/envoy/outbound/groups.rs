//! Which services and hosts have which routes in a route configuration.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Outbound;
use super::routes::{Source, everything};
use super::unused::Claims;
use crate::envoy::message::{Origin, Route, RouteAction, Str};
use crate::envoy::registry::{Port, Resolution, Service, ServiceId};
use crate::envoy::routing::RoutesId;
use crate::envoy::routing::compile::{cluster_name, decorator, hash_of, http_routes};
use crate::envoy::routing::model::{Dialect, VirtualRoutes};
use crate::envoy::scope::Imported;
use crate::mesh::Protocol;
use crate::values::host::is_covered;

/// Hosts and services with the same routes on a port.
pub(super) struct Group {
    /// The port.
    pub port: u32,
    /// Hosts that are no services.
    pub hosts: Vec<Str>,
    /// Services.
    pub services: Vec<ServiceId>,
    /// Their routes.
    pub routes: Vec<Route>,
    /// The VirtualService that they come from; none for routes that every service has by itself.
    pub by: Option<RoutesId>,
}

/// The services of one route configuration.
pub(super) struct Table<'t, 'w, 'm, 'a> {
    /// Who compiles.
    pub outbound: &'t Outbound<'w, 'm, 'a>,
    /// What is compiled.
    pub source: &'t Source,
    egress: usize,
    services: Vec<&'t Imported>,
    by_host: FxHashMap<&'t str, &'t Imported>,
}

impl<'t, 'w, 'm, 'a> Table<'t, 'w, 'm, 'a> {
    /// The services of a listener of the scope that have the port.
    pub(super) fn new(outbound: &'t Outbound<'w, 'm, 'a>, source: &'t Source, egress: usize) -> Self {
        let mut table = Self {
            outbound,
            source,
            egress,
            services: Vec::new(),
            by_host: FxHashMap::default(),
        };
        for imported in &outbound.scope.listeners[egress].services {
            let fits = match source.only {
                Some(only) => imported.service == only,
                None => table.ports(imported).next().is_some(),
            };
            if fits {
                table.by_host.insert(&outbound.service(imported.service).host, imported);
                table.services.push(imported);
            }
        }
        table
    }

    /// Groups of VirtualServices in their order, then those of services that no VirtualService is for.
    pub(super) fn groups(&self, claims: &mut Claims) -> Vec<Group> {
        let mut groups = Vec::new();
        for id in self.routes() {
            let virtual_routes = &self.outbound.world.routes.all[id];
            if virtual_routes.http.is_empty() {
                continue;
            }
            let routes = http_routes(
                self.outbound.world,
                virtual_routes,
                &self.outbound.asker(self.source.port),
            );
            claims.rules.compiled(virtual_routes, &routes);
            if !routes.is_empty() {
                groups.extend(self.routed(id, virtual_routes, &routes));
            }
        }
        let routed: FxHashSet<ServiceId> = groups.iter().flat_map(|group| group.services.iter().copied()).collect();
        let rest = self
            .services
            .iter()
            .filter(|imported| !routed.contains(&imported.service));
        groups.extend(rest.flat_map(|imported| self.by_default(imported)));
        groups
    }

    /// The VirtualServices that count: on port 80 all of them, on others those for a service of the port (catalogue: hosts
    /// and ports, 25 and 26).
    fn routes(&self) -> Vec<RoutesId> {
        if self.source.port == 80 {
            return self.outbound.scope.listeners[self.egress].routes.clone();
        }
        let hosts = self
            .services
            .iter()
            .map(|imported| self.service(imported).host.as_str());
        self.outbound.hosts[self.egress].of_any(hosts)
    }

    fn service(&self, imported: &Imported) -> &'t Service<'m, 'a> {
        self.outbound.service(imported.service)
    }

    fn ports(&self, imported: &'t Imported) -> impl Iterator<Item = &'t Port> + use<'t, 'w, 'm, 'a> {
        let number = self.source.port;
        let ports = imported.ports(self.service(imported));
        ports.filter(move |port| number == 0 || port.number == number)
    }

    /// The ports of a service on which it takes HTTP. Of several under one number the youngest counts.
    fn http_ports(&self, imported: &'t Imported) -> impl Iterator<Item = &'t Port> + use<'t, 'w, 'm, 'a> {
        let service = self.service(imported);
        let ports = self.ports(imported).filter(|_| service.resolution != Resolution::Alias);
        ports.filter(|port| {
            let later = service.later_ports.iter().rfind(|later| later.number == port.number);
            is_http_or_sniffed(later.unwrap_or(port).protocol)
        })
    }

    /// The groups of a VirtualService, one a port. On port 80 there is one even without a service, unless the routes are
    /// those of the Gateway API, which are for services only.
    fn routed(&self, id: RoutesId, virtual_routes: &VirtualRoutes<'m>, routes: &[Route]) -> Vec<Group> {
        let (hosts, services) = self.split(id, virtual_routes);
        let mut by_port: Vec<(u32, Vec<ServiceId>)> = Vec::new();
        for imported in services {
            for port in self.http_ports(imported) {
                match by_port.iter_mut().find(|(number, _)| *number == port.number) {
                    Some((_, services)) => services.push(imported.service),
                    None => by_port.push((port.number, vec![imported.service])),
                }
            }
        }
        if by_port.is_empty() && self.source.port == 80 && virtual_routes.dialect == Dialect::Istio {
            by_port.push((80, Vec::new()));
        }
        let groups = by_port.into_iter().map(|(port, services)| Group {
            port,
            hosts: hosts.clone(),
            services,
            routes: routes.to_vec(),
            by: Some(id),
        });
        groups.collect()
    }

    /// Hosts that are no services here, and services. A wildcard stands for the services that fall to it, and for itself
    /// only where it covers none (catalogue: hosts and ports, 28).
    fn split(&self, id: RoutesId, virtual_routes: &VirtualRoutes<'m>) -> (Vec<Str>, Vec<&'t Imported>) {
        let (mut hosts, mut services) = (Vec::new(), Vec::new());
        for host in &virtual_routes.hosts {
            if let Some(imported) = self.by_host.get(host.as_str()) {
                services.push(*imported);
                continue;
            }
            let is_wildcard = host.starts_with('*');
            let covered = self.services.iter().filter(|_| is_wildcard);
            let mut covered = covered
                .filter(|imported| is_covered(&self.service(imported).host, host))
                .peekable();
            if covered.peek().is_none() {
                hosts.push(host.clone());
            }
            let falling = covered.filter(|imported| {
                let routed = &self.outbound.hosts[self.egress];
                routed.by_wildcard(&self.service(imported).host) == Some(id)
            });
            services.extend(falling);
        }
        (hosts, services)
    }

    /// Groups of a service that no VirtualService is for.
    fn by_default(&self, imported: &'t Imported) -> impl Iterator<Item = Group> {
        let service = self.service(imported);
        self.http_ports(imported).map(move |port| Group {
            port: port.number,
            hosts: Vec::new(),
            services: vec![imported.service],
            routes: vec![self.outbound.default_route(service, port)],
            by: None,
        })
    }
}

impl<'m, 'a> Outbound<'_, 'm, 'a> {
    /// The route that every port of a service has by itself.
    fn default_route(&self, service: &Service<'m, 'a>, port: &Port) -> Route {
        let action = RouteAction {
            cluster: cluster_name(port.number, "", &service.host),
            hash_policy: hash_of(self.world, self.proxy, service, port.number, ""),
            timeout: Str::new_static("0s"),
            max_grpc_timeout: Str::new_static("0s"),
            retry_policy: self.world.routes.default_retries.clone(),
            ..RouteAction::default()
        };
        let matched = everything();
        Route {
            name: Str::new_static("default"),
            decorator: decorator(&matched, Some(&action), "", port.number),
            r#match: matched,
            route: Some(Box::new(action)),
            origin: Origin::of(service.span),
            ..Route::default()
        }
    }
}

/// Whether a port may take HTTP.
pub(super) fn is_http_or_sniffed(protocol: Protocol) -> bool {
    protocol.is_http() || protocol == Protocol::Auto
}
