//! Host names: what a name means at a place, and what defines it.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::visibility::ExportTo;
use super::{Lookup, Mesh, ResourceId};
use crate::model::{Header, Slot, Text, gateway_api, istio, kubernetes};
use crate::schema::nearest;
use crate::yaml::is_placeholder;

/// What a host name means at the place where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostName<'h> {
    /// A Kubernetes Service: a name without a dot, or a full name under the cluster's domain.
    Service {
        /// Its name.
        name: &'h str,
        /// Its namespace.
        namespace: &'h str,
    },
    /// Any other name; istiod takes it as it is written.
    Literal(&'h str),
}

impl<'h> HostName<'h> {
    /// Reads a name that stands in a resource of `namespace`. Only a name without a dot is completed; `reviews.shop` is no
    /// Service.
    pub fn parse(host: &'h str, namespace: &'h str, cluster_domain: &str) -> Self {
        if !host.contains('.') && !host.starts_with('*') {
            return Self::Service { name: host, namespace };
        }
        let within = host
            .strip_suffix(cluster_domain)
            .and_then(|rest| rest.strip_suffix(".svc."));
        match within.and_then(|rest| rest.split_once('.')) {
            Some((name, namespace)) if !namespace.contains('.') && !name.contains('*') => {
                Self::Service { name, namespace }
            }
            _ => Self::Literal(host),
        }
    }

    /// The full name.
    pub fn full(&self, mesh: &Mesh<'_>) -> String {
        match self {
            Self::Service { name, namespace } => format!("{name}.{namespace}.svc.{}", mesh.settings.cluster_domain),
            Self::Literal(host) => (*host).to_owned(),
        }
    }

    /// Whether a pattern, a name or `*` or `*.suffix`, takes it in.
    pub fn is_within(&self, pattern: &str, mesh: &Mesh<'_>) -> bool {
        let name = self.full(mesh);
        pattern
            .strip_prefix('*')
            .map_or(pattern == name, |suffix| name.ends_with(suffix))
    }

    /// The namespace of a Service.
    pub fn namespace(&self) -> Option<&'h str> {
        match self {
            Self::Service { namespace, .. } => Some(namespace),
            Self::Literal(_) => None,
        }
    }
}

/// What defines a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A Kubernetes Service.
    Service(ResourceId),
    /// A `ServiceEntry`.
    ServiceEntry(ResourceId),
}

impl Provider {
    /// The resource.
    pub fn id(self) -> ResourceId {
        match self {
            Provider::Service(id) | Provider::ServiceEntry(id) => id,
        }
    }
}

/// A host that is defined in the input.
#[derive(Clone, Debug)]
pub struct Host<'h> {
    /// Its name.
    pub name: HostName<'h>,
    /// What defines it; usually one resource, several with a `ServiceEntry` for the same name or in several clusters.
    pub providers: SmallVec<[Provider; 1]>,
}

type Key<'a> = (&'a str, &'a str);

/// Hosts by name.
#[derive(Debug, Default)]
pub(super) struct Hosts<'a> {
    services: FxHashMap<Key<'a>, SmallVec<[Provider; 1]>>,
    literal: FxHashMap<&'a str, SmallVec<[Provider; 1]>>,
    /// `*.suffix` of ServiceEntries, by `.suffix`.
    wildcards: FxHashMap<&'a str, SmallVec<[Provider; 1]>>,
    by_namespace: FxHashMap<&'a str, Vec<&'a str>>,
    declared: Vec<&'a str>,
    /// Names of Services whose namespace is only assumed: they may be in any.
    assumed: FxHashSet<&'a str>,
}

impl<'a> Hosts<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let mut hosts = Self::default();
        for service in mesh.all::<kubernetes::Service<'a>>() {
            if !service.header.namespace_written {
                hosts.assumed.insert(service.header.name.as_str());
            }
            hosts.add_service(
                service.header.name.as_str(),
                service.header.namespace.as_str(),
                Provider::Service(service.id),
            );
        }
        for entry in mesh.all::<istio::ServiceEntry<'a>>() {
            for host in &entry.body.hosts {
                hosts.add_entry(
                    host.as_str(),
                    entry.header.namespace.as_str(),
                    &mesh.settings.cluster_domain,
                    entry.id,
                );
            }
        }
        hosts
    }

    fn add_service(&mut self, name: &'a str, namespace: &'a str, provider: Provider) {
        self.services.entry((name, namespace)).or_default().push(provider);
        self.by_namespace.entry(namespace).or_default().push(name);
    }

    fn add_entry(&mut self, host: &'a str, namespace: &'a str, cluster_domain: &str, id: ResourceId) {
        let provider = Provider::ServiceEntry(id);
        self.declared.push(host);
        match HostName::parse(host, namespace, cluster_domain) {
            // istiod completes no host of a ServiceEntry. Whoever writes `db` here means the references that say `db`.
            HostName::Service { name, namespace } => self.services.entry((name, namespace)).or_default().push(provider),
            HostName::Literal(literal) => match literal.strip_prefix('*') {
                Some(suffix) => self.wildcards.entry(suffix).or_default().push(provider),
                None => self.literal.entry(literal).or_default().push(provider),
            },
        }
    }
}

impl<'a> Mesh<'a> {
    /// What a host means in a resource of a namespace.
    pub fn host_name<'h>(&self, host: &'h str, namespace: &'h str) -> HostName<'h> {
        HostName::parse(host, namespace, &self.settings.cluster_domain)
    }

    /// What defines a host that a resource names.
    pub fn host<'h>(&self, host: &Text<'h>, asker: &Header<'h>) -> Lookup<Host<'h>> {
        if is_placeholder(host.as_str()) || !asker.namespace_known || host.is_empty() {
            return Lookup::Unknown;
        }
        let name = self.host_name(host.as_str(), asker.namespace.as_str());
        if let Some(providers) = self.providers(&name) {
            let sure = providers
                .iter()
                .all(|provider| self.is_surely(self.header(provider.id()), asker));
            return if sure {
                Lookup::Found(Host { name, providers })
            } else {
                Lookup::Unknown
            };
        }
        match name {
            HostName::Service { name, namespace } => self.missing_service(host, name, namespace, asker),
            HostName::Literal(literal) => self.missing_literal(literal, asker),
        }
    }

    fn providers(&self, name: &HostName<'_>) -> Option<SmallVec<[Provider; 1]>> {
        let found = match *name {
            HostName::Service { name, namespace } => self.hosts.services.get(&(name, namespace)),
            HostName::Literal(literal) => self.hosts.literal.get(literal),
        };
        found.cloned()
    }

    fn missing_service<'h>(
        &self,
        host: &Text<'h>,
        name: &str,
        namespace: &str,
        asker: &Header<'h>,
    ) -> Lookup<Host<'h>> {
        let full = HostName::Service { name, namespace }.full(self);
        let perhaps_here = !self.settings.complete && self.hosts.assumed.contains(name);
        let unsure = perhaps_here || self.is_under_wildcard(&full) || self.is_implied(name, namespace);
        if unsure || !self.owns(Slot::Service, namespace, asker) {
            return Lookup::Unknown;
        }
        let siblings = self.hosts.by_namespace.get(namespace).map_or(&[][..], Vec::as_slice);
        let nearest = nearest(name, siblings.iter().copied()).map(|near| {
            if host.contains('.') {
                HostName::Service { name: near, namespace }.full(self)
            } else {
                near.to_owned()
            }
        });
        Lookup::Absent { nearest }
    }

    /// Services of the cluster and of Istio itself, and those that a controller makes: for a Gateway of the Gateway API, `<name>-<class>`; for an `InferencePool`.
    fn is_implied(&self, name: &str, namespace: &str) -> bool {
        let built_in = match namespace {
            "default" => name == "kubernetes",
            "kube-system" => name == "kube-dns",
            other => other == self.settings.root_namespace && name.starts_with("istiod"),
        };
        if built_in {
            return true;
        }
        let gateways = self.all::<gateway_api::GatewaySpec<'a>>().map(|gateway| gateway.header);
        let pools = self.all::<gateway_api::InferencePoolSpec<'a>>().map(|pool| pool.header);
        gateways
            .chain(pools)
            .any(|header| header.namespace.as_str() == namespace && name.starts_with(header.name.as_str()))
    }

    fn missing_literal<'h>(&self, literal: &str, asker: &Header<'h>) -> Lookup<Host<'h>> {
        if let Some(full) = self.meant_service(literal) {
            return Lookup::Absent { nearest: Some(full) };
        }
        // The hosts that a repository's own ServiceEntries and Services define are the ones it can call.
        let place = asker.namespace.as_str();
        let owns_hosts = self.owns(Slot::Service, place, asker) || self.owns(Slot::ServiceEntry, place, asker);
        if literal.starts_with('*')
            || self.is_under_wildcard(literal)
            || !owns_hosts
            || self.is_foreign_cluster(literal)
        {
            return Lookup::Unknown;
        }
        let nearest = nearest(literal, self.hosts.declared.iter().copied()).map(str::to_owned);
        Lookup::Absent { nearest }
    }

    /// Whether a host that was not found would be known: a Service's name would, while the ServiceEntry of an outside host
    /// often stands in another repository.
    pub fn knows_all_names(&self, host: &Text<'_>, asker: &Header<'_>) -> bool {
        let outside = matches!(
            self.host_name(host.as_str(), asker.namespace.as_str()),
            HostName::Literal(_)
        );
        self.settings.complete || !outside || self.meant_service(host.as_str()).is_some()
    }

    /// The full name of the Service that `name.namespace` or `name.namespace.svc` was to mean.
    fn meant_service(&self, literal: &str) -> Option<String> {
        let short = literal.strip_suffix(".svc").unwrap_or(literal);
        let (name, namespace) = short.split_once('.')?;
        self.hosts.services.get(&(name, namespace))?;
        Some(HostName::Service { name, namespace }.full(self))
    }

    /// A full Service name under another domain is nothing the input can know; one of the cluster set never is.
    fn is_foreign_cluster(&self, literal: &str) -> bool {
        literal.ends_with(".svc.clusterset.local") || !self.settings.complete && literal.contains(".svc.")
    }

    /// Whether a ServiceEntry for `*.suffix` takes the host in.
    fn is_under_wildcard(&self, host: &str) -> bool {
        !self.hosts.wildcards.is_empty()
            && host
                .match_indices('.')
                .any(|(at, _)| self.hosts.wildcards.contains_key(&host[at..]))
            || self.hosts.wildcards.contains_key("")
    }

    /// Whether a host's definition is exported to a namespace. One visible definition is enough.
    pub fn is_visible(&self, provider: Provider, namespace: &str) -> bool {
        let admits = |header: &Header<'a>, written: &[Text<'_>]| {
            ExportTo::of(written, &self.settings.service_export_to, header.namespace.as_str()).admits(namespace)
        };
        match provider {
            Provider::Service(id) => {
                let header = self.header(id);
                match header.annotations.get("networking.istio.io/exportTo") {
                    Some(list) => {
                        ExportTo::new(list.split(',').map(str::trim), header.namespace.as_str()).admits(namespace)
                    }
                    None => admits(header, &[]),
                }
            }
            Provider::ServiceEntry(id) => self
                .object::<istio::ServiceEntry<'a>>(id)
                .is_some_and(|entry| admits(entry.header, &entry.body.export_to)),
        }
    }

    /// Whether a host has a port. Several Services of one name in one cluster are alternatives: which of them is applied
    /// is not known.
    pub fn port(&self, host: &Host<'_>, number: i64) -> Lookup<()> {
        let ports = self.ports_of(host);
        let clusters = || {
            host.providers
                .iter()
                .filter(|provider| matches!(provider, Provider::Service(_)))
                .map(|provider| self.header(provider.id()).cluster)
        };
        let alternatives = clusters()
            .enumerate()
            .any(|(at, cluster)| clusters().skip(at + 1).any(|other| other == cluster));
        let open = host.providers.iter().any(|provider| self.has_open_ports(*provider));
        match ports.contains(&number) {
            true => Lookup::Found(()),
            false if ports.is_empty() || alternatives || open => Lookup::Unknown,
            false => Lookup::Absent { nearest: None },
        }
    }

    /// The port numbers of a name, if something defines it.
    pub fn ports_of_name(&self, name: &HostName<'_>) -> Option<Vec<i64>> {
        let providers = self.providers(name)?;
        Some(self.ports_of(&Host { name: *name, providers }))
    }

    /// The port numbers of a host, over all that define it.
    pub fn ports_of(&self, host: &Host<'_>) -> Vec<i64> {
        let mut ports: Vec<i64> = host
            .providers
            .iter()
            .flat_map(|provider| self.ports_of_provider(*provider))
            .collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    }

    /// Whether a port is a placeholder, or a patch may add one.
    fn has_open_ports(&self, provider: Provider) -> bool {
        let Provider::Service(id) = provider else { return false };
        let service = self.object::<kubernetes::Service<'a>>(id);
        service
            .is_some_and(|service| service.header.patched || service.body.ports.iter().any(|port| port.port.is_none()))
    }

    fn ports_of_provider(&self, provider: Provider) -> Vec<i64> {
        match provider {
            Provider::Service(id) => {
                let service = self.object::<kubernetes::Service<'a>>(id);
                service
                    .iter()
                    .flat_map(|service| &service.body.ports)
                    .filter_map(|port| port.port.as_deref())
                    .copied()
                    .collect()
            }
            Provider::ServiceEntry(id) => {
                let entry = self.object::<istio::ServiceEntry<'a>>(id);
                entry
                    .iter()
                    .flat_map(|entry| &entry.body.ports)
                    .filter_map(|port| port.number.as_deref())
                    .copied()
                    .collect()
            }
        }
    }

    /// Every Service and ServiceEntry as what defines a host.
    pub(super) fn all_providers(&self) -> impl Iterator<Item = Provider> {
        let services = self
            .all::<kubernetes::Service<'a>>()
            .map(|service| Provider::Service(service.id));
        services.chain(
            self.all::<istio::ServiceEntry<'a>>()
                .map(|entry| Provider::ServiceEntry(entry.id)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_without_a_dot_are_completed() {
        let parse = |host| HostName::parse(host, "shop", "cluster.local");
        assert_eq!(
            parse("reviews"),
            HostName::Service {
                name: "reviews",
                namespace: "shop"
            }
        );
        assert_eq!(
            parse("reviews.pay.svc.cluster.local"),
            HostName::Service {
                name: "reviews",
                namespace: "pay"
            }
        );
        for literal in [
            "reviews.shop",
            "reviews.shop.svc",
            "a.b.shop.svc.cluster.local",
            "*.shop.svc.cluster.local",
            "*",
        ] {
            assert_eq!(parse(literal), HostName::Literal(literal));
        }
    }
}
