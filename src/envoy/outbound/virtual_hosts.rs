//! The virtual hosts of a route configuration.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Outbound;
use super::domains::{Domains, bracketed};
use super::groups::{Group, Table};
use super::routes::Source;
use super::unused::Claims;
use crate::envoy::message::{Origin, Str, VirtualHost};
use crate::envoy::routing::RoutesId;
use crate::source::Span;

/// Names that virtual hosts have taken.
#[derive(Default)]
struct Taken {
    /// Names of virtual hosts, and the VirtualService whose routes each has.
    names: FxHashMap<Str, Option<RoutesId>>,
    /// In lower case.
    domains: FxHashSet<Str>,
    /// The hosts of services, which no form of another host may take.
    hosts: FxHashSet<Str>,
}

impl Outbound<'_, '_, '_> {
    /// The virtual hosts of a source, in no order.
    pub(super) fn virtual_hosts(&self, source: &Source, egress: usize, claims: &mut Claims) -> Vec<VirtualHost> {
        let groups = Table::new(self, source, egress).groups(claims);
        let mut taken = Taken::default();
        for group in &groups {
            taken
                .hosts
                .extend(group.services.iter().map(|id| self.service(*id).host.clone()));
        }
        let mut made = Vec::new();
        for group in groups {
            let hosts = self.hosts_of(&group, source, &mut taken, claims);
            if source.port == 0 {
                made.extend(hosts.into_iter().filter_map(|host| with_port(host, group.port)));
            } else if source.port == group.port {
                made.extend(hosts);
            }
        }
        made
    }

    fn hosts_of(
        &self,
        group: &Group,
        source: &Source,
        taken: &mut Taken,
        claims: &mut Claims,
    ) -> impl IntoIterator<Item = VirtualHost> {
        let mut made = Vec::new();
        for host in &group.hosts {
            let domains = Domains {
                all: vec![bracketed(host)],
                forms: FxHashSet::default(),
            };
            made.extend(self.host(group, host, &domains, None, taken, claims));
        }
        for service in group.services.iter().map(|id| self.service(*id)) {
            let mut domains = self.domains(service);
            if source.port == 0 {
                let both = |domain: Str| [domain.clone(), Str::from(format!("{domain}:{}", group.port))];
                domains.all = domains.all.into_iter().flat_map(both).collect();
            }
            made.extend(self.host(group, &service.host, &domains, Some(service.span), taken, claims));
        }
        made
    }

    /// A virtual host with those of the domains that are still free (catalogue: hosts and ports, 27).
    fn host(
        &self,
        group: &Group,
        host: &str,
        domains: &Domains,
        span: Option<Span>,
        taken: &mut Taken,
        claims: &mut Claims,
    ) -> Option<VirtualHost> {
        let name = Str::from(format!("{host}:{}", group.port));
        if let Some(owner) = taken.names.get(&name) {
            claims.lose(group.by, host, *owner);
            return None;
        }
        taken.names.insert(name.clone(), group.by);
        claims.win(group.by, host);
        let free = taken.free(domains);
        let by = group.by.map(|id| self.world.routes.all[id].span);
        let mut origin = Origin::default();
        span.into_iter().chain(by).for_each(|span| origin.add(span));
        (!free.is_empty()).then(|| VirtualHost {
            name,
            domains: free,
            include_request_attempt_count: self.filters.settings.headers.attempt_count,
            routes: group.routes.clone(),
            origin,
            ..VirtualHost::default()
        })
    }
}

impl Taken {
    /// Takes those of the domains that are still free.
    fn free(&mut self, domains: &Domains) -> Vec<Str> {
        let mut free = Vec::with_capacity(domains.all.len());
        for domain in &domains.all {
            let foreign = domains.forms.contains(domain) && self.hosts.contains(domain);
            if !foreign && self.domains.insert(Str::from(domain.to_ascii_lowercase())) {
                free.push(domain.clone());
            }
        }
        free
    }
}

/// Where a listener stands for all ports, names without one are those of port 80 (catalogue: Sidecar, 59).
fn with_port(mut host: VirtualHost, port: u32) -> Option<VirtualHost> {
    if port != 80 {
        host.domains.retain(|domain| domain.contains(':'));
    }
    (!host.domains.is_empty()).then_some(host)
}
