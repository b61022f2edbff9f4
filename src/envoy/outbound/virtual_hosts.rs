//! Virtual hosts: which services and hosts have which routes, and under which names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Outbound;
use super::routes::{Source, everything};
use crate::envoy::message::{Origin, Route, RouteAction, Str, VirtualHost};
use crate::envoy::registry::{Port, Resolution, Service, ServiceId};
use crate::envoy::routing::RoutesId;
use crate::envoy::routing::compile::{cluster_name, decorator, hash_of, http_routes};
use crate::envoy::routing::model::{Dialect, VirtualRoutes};
use crate::envoy::scope::Imported;
use crate::mesh::Protocol;
use crate::source::Span;

/// Hosts and services with the same routes on a port.
struct Group {
    port: u32,
    /// Hosts that are no services.
    hosts: Vec<Str>,
    services: Vec<ServiceId>,
    routes: Vec<Route>,
    span: Option<Span>,
}

/// Names that virtual hosts have taken.
#[derive(Default)]
struct Taken {
    names: FxHashSet<Str>,
    /// In lower case.
    domains: FxHashSet<Str>,
    /// The full names of services, which no short form of another may take.
    full: FxHashSet<Str>,
}

/// The services of a route configuration by their hosts.
struct Known<'s> {
    services: Vec<&'s Imported>,
    by_host: FxHashMap<&'s str, &'s Imported>,
}

impl<'m, 'a> Outbound<'_, 'm, 'a> {
    /// The virtual hosts of a source, in no order.
    pub(super) fn virtual_hosts(&self, source: &Source, egress: usize) -> Vec<VirtualHost> {
        let known = self.known(source, egress);
        let mut groups = self.routed(source, egress, &known);
        let routed: FxHashSet<ServiceId> = groups.iter().flat_map(|group| group.services.iter().copied()).collect();
        let rest = known
            .services
            .iter()
            .filter(|imported| !routed.contains(&imported.service));
        groups.extend(rest.flat_map(|imported| self.by_default(imported, source)));
        let mut taken = Taken::default();
        for group in &groups {
            taken
                .full
                .extend(group.services.iter().map(|id| self.service(*id).host.clone()));
        }
        let mut made: Vec<(u32, VirtualHost)> = Vec::new();
        for group in groups {
            made.extend(
                self.hosts_of(&group, source, &mut taken)
                    .into_iter()
                    .map(|host| (group.port, host)),
            );
        }
        if source.port == 0 {
            made.into_iter()
                .filter_map(|(port, host)| with_ports(host, port))
                .collect()
        } else {
            made.into_iter()
                .filter(|(port, _)| *port == source.port)
                .map(|(_, host)| host)
                .collect()
        }
    }

    /// The services that have the port.
    fn known(&self, source: &Source, egress: usize) -> Known<'_> {
        let imported = self.scope.listeners[egress].services.iter();
        let fits = |imported: &&Imported| match source.only {
            Some(only) => imported.service == only,
            None => self.ports(imported, source).next().is_some(),
        };
        let services: Vec<&Imported> = imported.filter(fits).collect();
        let by_host = services
            .iter()
            .map(|imported| (self.service(imported.service).host.as_str(), *imported));
        Known {
            by_host: by_host.collect(),
            services,
        }
    }

    fn ports<'s>(&'s self, imported: &'s Imported, source: &Source) -> impl Iterator<Item = &'s Port> {
        let number = source.port;
        let ports = imported.ports(self.service(imported.service));
        ports.filter(move |port| number == 0 || port.number == number)
    }

    /// The ports of a service on which it takes HTTP.
    fn http_ports<'s>(&'s self, imported: &'s Imported, source: &Source) -> impl Iterator<Item = &'s Port> {
        let service = self.service(imported.service);
        let ports = self
            .ports(imported, source)
            .filter(|port| is_http_or_sniffed(port.protocol));
        ports.filter(|_| service.resolution != Resolution::Alias)
    }

    /// Groups of VirtualServices. On port 80 all of them count, on others those for a service of the port (catalogue: hosts
    /// and ports, 25 and 26).
    fn routed(&self, source: &Source, egress: usize, known: &Known<'_>) -> Vec<Group> {
        let ids = if source.port == 80 {
            self.scope.listeners[egress].routes.clone()
        } else {
            let hosts = known
                .services
                .iter()
                .map(|imported| self.service(imported.service).host.as_str());
            self.hosts[egress].of_any(hosts)
        };
        let mut groups = Vec::new();
        for id in ids {
            let virtual_routes = &self.world.routes.all[id];
            if virtual_routes.http.is_empty() {
                continue;
            }
            let routes = http_routes(self.world, virtual_routes, &self.asker(source.port));
            if !routes.is_empty() {
                self.group(id, virtual_routes, routes, source, egress, known, &mut groups);
            }
        }
        groups
    }

    #[expect(clippy::too_many_arguments, reason = "a step of one loop")]
    fn group(
        &self,
        id: RoutesId,
        virtual_routes: &VirtualRoutes<'m>,
        routes: Vec<Route>,
        source: &Source,
        egress: usize,
        known: &Known<'_>,
        groups: &mut Vec<Group>,
    ) {
        let (hosts, services) = self.split(id, virtual_routes, egress, known);
        let mut by_port: Vec<(u32, Vec<ServiceId>)> = Vec::new();
        for imported in services {
            for port in self.http_ports(imported, source) {
                match by_port.iter_mut().find(|(number, _)| *number == port.number) {
                    Some((_, services)) => services.push(imported.service),
                    None => by_port.push((port.number, vec![imported.service])),
                }
            }
        }
        if by_port.is_empty() && source.port == 80 && virtual_routes.dialect == Dialect::Istio {
            by_port.push((80, Vec::new()));
        }
        groups.extend(by_port.into_iter().map(|(port, services)| Group {
            port,
            hosts: hosts.clone(),
            services,
            routes: routes.clone(),
            span: Some(virtual_routes.span),
        }));
    }

    /// Hosts that are no services here, and services. A wildcard stands for the services that fall to it, and for itself
    /// only where it covers none (catalogue: hosts and ports, 28).
    fn split<'k>(
        &self,
        id: RoutesId,
        virtual_routes: &VirtualRoutes<'m>,
        egress: usize,
        known: &Known<'k>,
    ) -> (Vec<Str>, Vec<&'k Imported>) {
        let (mut hosts, mut services) = (Vec::new(), Vec::new());
        for host in &virtual_routes.hosts {
            if let Some(imported) = known.by_host.get(host.as_str()) {
                services.push(*imported);
                continue;
            }
            let covered = || {
                let all = known.services.iter().filter(|_| host.starts_with('*'));
                all.filter(|imported| crate::values::host::is_covered(&self.service(imported.service).host, host))
            };
            if covered().next().is_none() {
                hosts.push(host.clone());
            }
            services.extend(covered().filter(|imported| {
                let host = &self.service(imported.service).host;
                self.hosts[egress].by_wildcard(host) == Some(id)
            }));
        }
        (hosts, services)
    }

    /// Groups of a service that no VirtualService is for.
    fn by_default(&self, imported: &Imported, source: &Source) -> Vec<Group> {
        let service = self.service(imported.service);
        let groups = self.http_ports(imported, source).map(|port| Group {
            port: port.number,
            hosts: Vec::new(),
            services: vec![imported.service],
            routes: vec![self.default_route(service, port)],
            span: None,
        });
        groups.collect()
    }

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

    fn hosts_of(&self, group: &Group, source: &Source, taken: &mut Taken) -> Vec<VirtualHost> {
        let mut made = Vec::new();
        for host in &group.hosts {
            let domains = vec![bracketed(host)];
            made.extend(self.host(group, host, domains, &FxHashSet::default(), group.span, taken));
        }
        for id in &group.services {
            let service = self.service(*id);
            let (domains, short) = self.domains(service, group.port, source.port == 0);
            let origin = Some(service.span);
            made.extend(self.host(group, &service.host, domains, &short, origin, taken));
        }
        made
    }

    /// A virtual host with those of the domains that are still free (catalogue: hosts and ports, 27).
    fn host(
        &self,
        group: &Group,
        name: &str,
        domains: Vec<Str>,
        short: &FxHashSet<Str>,
        span: Option<Span>,
        taken: &mut Taken,
    ) -> Option<VirtualHost> {
        let name = Str::from(format!("{name}:{}", group.port));
        if !taken.names.insert(name.clone()) {
            return None;
        }
        let free = |domain: &Str| {
            let foreign = short.contains(domain) && taken.full.contains(domain);
            !foreign && taken.domains.insert(Str::from(domain.to_ascii_lowercase()))
        };
        let domains: Vec<Str> = domains.into_iter().filter(free).collect();
        let mut origin = Origin::default();
        span.into_iter().chain(group.span).for_each(|span| origin.add(span));
        (!domains.is_empty()).then(|| VirtualHost {
            name,
            domains,
            include_request_attempt_count: self.filters.settings.headers.attempt_count,
            routes: group.routes.clone(),
            origin,
            ..VirtualHost::default()
        })
    }

    /// The domains of a service, and which of them are short forms (catalogue: listeners, 8 and 9).
    fn domains(&self, service: &Service<'m, 'a>, port: u32, with_ports: bool) -> (Vec<Str>, FxHashSet<Str>) {
        let mut domains: Vec<Str> = Vec::new();
        let mut short: FxHashSet<Str> = FxHashSet::default();
        for host in std::iter::once(&service.host).chain(&service.aliases) {
            let forms = self.short_forms(host);
            domains.push(host.clone());
            domains.extend(forms.iter().cloned());
            short.extend(forms);
        }
        if service.is_headless() {
            let below: Vec<Str> = domains.iter().map(|domain| Str::from(format!("*.{domain}"))).collect();
            domains.extend(below);
        }
        domains.extend(self.addresses(service).last().map(|address| bracketed(address)));
        if with_ports {
            domains = domains
                .into_iter()
                .flat_map(|domain| [domain.clone(), Str::from(format!("{domain}:{port}"))])
                .collect();
        }
        (domains, short)
    }

    /// The other names of a host: with a final dot, and of a Service those without the cluster's domain.
    fn short_forms(&self, host: &str) -> Vec<Str> {
        let mut forms = vec![Str::from(format!("{host}."))];
        let domain = &self.world.mesh.settings.cluster_domain;
        let within = host
            .strip_suffix(domain.as_str())
            .and_then(|rest| rest.strip_suffix(".svc."));
        if let Some((name, namespace)) = within.and_then(|within| within.split_once('.')) {
            if namespace == self.proxy.namespace {
                forms.push(Str::new(name));
                forms.push(Str::from(format!("{name}.{namespace}.svc")));
                forms.push(Str::from(format!("{name}.{namespace}")));
            } else {
                forms.push(Str::from(format!("{name}.{namespace}")));
                forms.push(Str::from(format!("{name}.{namespace}.svc")));
            }
        }
        forms
    }
}

fn is_http_or_sniffed(protocol: Protocol) -> bool {
    protocol.is_http() || protocol == Protocol::Auto
}

/// Where a listener stands for all ports, names without one are those of port 80 (catalogue: Sidecar, 59).
fn with_ports(mut host: VirtualHost, port: u32) -> Option<VirtualHost> {
    if port != 80 {
        host.domains.retain(|domain| domain.contains(':'));
    }
    (!host.domains.is_empty()).then_some(host)
}

/// An IPv6 address stands in brackets.
fn bracketed(host: &str) -> Str {
    if host.parse::<std::net::Ipv6Addr>().is_ok() {
        Str::from(format!("[{host}]"))
    } else {
        Str::new(host)
    }
}
