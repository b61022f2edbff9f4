//! The service registry: what istiod knows of Services, ServiceEntries and what stands behind them.
//!
//! Services of Kubernetes, of several clusters under one name, and the hosts of ServiceEntries become one kind of
//! [`Service`], in the order of istiod: by age, then name, then namespace. Knows nothing of the proxy that asks.

mod builder;
mod entries;
mod instances;
mod kubernetes;
mod slices;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::environment::Environment;
use super::message::{Address, Locality, Str};
use super::mtls::Mtls;
use super::pods::PodGroup;
use crate::mesh::{ExportTo, Mesh, Protocol, Provider};
use crate::model::Header;
use crate::source::Span;
use builder::Builder;
pub use kubernetes::service_port;

/// A service's place in [`Registry::services`].
pub type ServiceId = usize;

/// How proxies come by the endpoints of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// istiod tells them (EDS).
    ClientSide,
    /// By DNS, all addresses (`STRICT_DNS`).
    Dns,
    /// By DNS, one address at a time (`LOGICAL_DNS`).
    DnsRoundRobin,
    /// By DNS, the first of all addresses that answers (`LOGICAL_DNS` with all address families).
    DnsRace,
    /// The address that the application chose (`ORIGINAL_DST`).
    Passthrough,
    /// By DNS, any name that the host covers.
    DynamicDns,
    /// Another name of a service: a Service of the type `ExternalName`.
    Alias,
}

/// A port of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// The number that clients use.
    pub number: u32,
    /// Its name; may be empty.
    pub name: Str,
    /// What it is taken for.
    pub protocol: Protocol,
    /// The number of the pods' port where it is a number, else the name; of a ServiceEntry the number.
    pub target: Target,
}

/// Which port of a pod answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A number.
    Number(u32),
    /// The pods' port of this name.
    Name(Str),
}

/// A host and what clients can ask of it.
#[derive(Debug)]
pub struct Service<'m, 'a> {
    /// The host: the full name of a Service, a host of a ServiceEntry.
    pub host: Str,
    /// The host as it is written: clusters keep its upper case, while routes lead to the host in lower case.
    pub written_host: Str,
    /// The name; of a ServiceEntry the host.
    pub name: Str,
    /// The namespace of the resource.
    pub namespace: &'m str,
    /// The resource.
    pub provider: Provider,
    /// Its header.
    pub header: &'m Header<'a>,
    /// Its ports in the order of the text.
    pub ports: Vec<Port>,
    /// Ports of younger ServiceEntries for the host that stand under a number which an older one has. There are no clusters
    /// for them, but listeners and routes.
    pub later_ports: Vec<Port>,
    /// How proxies come by the endpoints.
    pub resolution: Resolution,
    /// Whether it lies outside of the mesh.
    pub external: bool,
    /// Addresses by cluster; empty for headless Services and entries without addresses.
    pub addresses: Vec<(u16, Str)>,
    /// Who sees it.
    pub export_to: ExportTo<'m>,
    /// `metadata.creationTimestamp`; one that is missing counts as the oldest for Services.
    pub created: &'m str,
    /// The host that an alias stands for.
    pub external_name: Option<Str>,
    /// Identities that a client may accept besides those of the endpoints.
    pub subject_alt_names: Vec<Str>,
    /// What answers, for each port, in the order of [`Self::ports`].
    pub endpoints: Vec<Vec<Endpoint>>,
    /// Hosts of aliases that lead here.
    pub aliases: Vec<Str>,
    /// The identities that its endpoints may have, in every trust domain, sorted.
    pub identities: Arc<[Str]>,
    /// Which endpoints it wants its clients to prefer.
    pub traffic_distribution: Option<TrafficDistribution>,
    /// Where it is written.
    pub span: Span,
}

/// One address behind a port of a service.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Address and port.
    pub address: Address,
    /// The labels by which subsets choose, sorted.
    pub labels: Arc<[(Str, Str)]>,
    /// The namespace.
    pub namespace: Str,
    /// What metadata say of the workload: name, namespace, canonical name and revision, cluster.
    pub workload: Str,
    /// The identity, `spiffe://…`; empty where there is none.
    pub service_account: Str,
    /// Where it stands.
    pub locality: Locality,
    /// The same in istiod's words, by which groups are sorted.
    pub locality_text: Str,
    /// The network; empty is that of everyone.
    pub network: Str,
    /// The cluster.
    pub cluster: u16,
    /// Whether its proxy speaks mTLS.
    pub mtls: bool,
    /// Whether the PeerAuthentication for the port is `DISABLE`.
    pub refuses_mtls: bool,
    /// Who takes HBONE for it.
    pub hbone: Hbone,
    /// Whether it takes traffic; an endpoint of a ServiceEntry has no health.
    pub health: Health,
    /// Its weight.
    pub weight: u32,
    /// Where it is written.
    pub span: Span,
}

/// Which endpoints a service wants its clients to prefer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficDistribution {
    /// Those of the client's zone.
    SameZone,
    /// Those of the client's node, then of its zone.
    SameNode,
}

/// Who takes HBONE for an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hbone {
    /// Nobody.
    No,
    /// ztunnel, on its node.
    Ztunnel,
    /// It is a waypoint.
    Waypoint,
}

/// Whether an endpoint takes traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Kubernetes says it is ready.
    Healthy,
    /// Kubernetes says it is not ready.
    Unhealthy,
    /// Nobody watches.
    Unwatched,
}

/// All services of a mesh.
#[derive(Debug, Default)]
pub struct Registry<'m, 'a> {
    /// By age, then name, then namespace.
    pub services: Vec<Service<'m, 'a>>,
    by_host: FxHashMap<Str, Vec<ServiceId>>,
    by_namespace: FxHashMap<&'m str, Vec<ServiceId>>,
}

/// What counts as the age of an Istio resource that does not tell it: the recordings were made so.
pub const UNDATED: &str = "2026-01-01T00:00:00Z";

impl<'m, 'a> Registry<'m, 'a> {
    /// Collects the services.
    pub fn new(
        mesh: &'m Mesh<'a>,
        environment: &Environment<'m, 'a>,
        pods: &[PodGroup<'m, 'a>],
        mtls: &Mtls<'m, 'a>,
    ) -> Self {
        let mut services = Builder::new(mesh, environment, pods, mtls).services();
        services.sort_by(|a, b| (a.created, &a.name, a.namespace).cmp(&(b.created, &b.name, b.namespace)));
        let mut by_host: FxHashMap<Str, Vec<ServiceId>> = FxHashMap::default();
        let mut by_namespace: FxHashMap<&str, Vec<ServiceId>> = FxHashMap::default();
        for (id, service) in services.iter().enumerate() {
            by_host.entry(service.host.clone()).or_default().push(id);
            by_namespace.entry(service.namespace).or_default().push(id);
        }
        let mut registry = Self {
            services,
            by_host,
            by_namespace,
        };
        registry.link_aliases();
        registry
    }

    /// The services of a host: one, or one for each namespace that defines it. The oldest is first.
    pub fn of_host(&self, host: &str) -> &[ServiceId] {
        self.by_host.get(host).map_or(&[], Vec::as_slice)
    }

    /// The services that resources of a namespace define.
    pub fn in_namespace(&self, namespace: &str) -> &[ServiceId] {
        self.by_namespace.get(namespace).map_or(&[], Vec::as_slice)
    }

    fn link_aliases(&mut self) {
        let aliases: Vec<(Str, Str)> = (self.services.iter())
            .filter_map(|service| Some((service.external_name.clone()?, service.host.clone())))
            .collect();
        for (target, alias) in aliases {
            let concrete = self.of_host(&target).first().copied();
            if let Some(concrete) = concrete.filter(|id| self.services[*id].resolution != Resolution::Alias) {
                self.services[concrete].aliases.push(alias);
            }
        }
    }
}

impl Service<'_, '_> {
    /// The port of this number.
    pub fn port(&self, number: u32) -> Option<&Port> {
        self.ports.iter().find(|port| port.number == number)
    }

    /// Whether clients reach the pods' own addresses.
    pub fn is_headless(&self) -> bool {
        self.resolution == Resolution::Passthrough && matches!(self.provider, Provider::Service(_))
    }

    /// Whether its sessions stay with an endpoint that is about to leave.
    pub fn keeps_sessions(&self) -> bool {
        let labels = ["istio.io/persistent-session", "istio.io/persistent-session-header"];
        labels.iter().any(|label| self.header.labels.get(label).is_some())
    }
}
