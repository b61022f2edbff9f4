//! The registry put together: Services of all clusters, ServiceEntries, and what one host has from several of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::instances::{Describer, Instance, Instances, Kind};
use super::{Endpoint, Port, Service, Target, UNDATED};
use crate::envoy::environment::Environment;
use crate::envoy::message::{Address, Str};
use crate::envoy::mtls::Mtls;
use crate::envoy::pods::PodGroup;
use crate::mesh::{Mesh, Object};
use crate::model::istio::ServiceEntry;
use crate::model::kubernetes::{self, EndpointSlice};

type SliceKey<'m> = (u16, &'m str, &'m str);

/// Puts the registry together.
pub(super) struct Builder<'b, 'm, 'a> {
    pub mesh: &'m Mesh<'a>,
    pub environment: &'b Environment<'m, 'a>,
    pub pods: &'b [PodGroup<'m, 'a>],
    pub describer: Describer<'b, 'm, 'a>,
    pub instances: Instances<'m, 'a>,
    pub slices: FxHashMap<SliceKey<'m>, Vec<Object<'m, 'a, EndpointSlice<'a>>>>,
}

impl<'b, 'm, 'a> Builder<'b, 'm, 'a> {
    pub(super) fn new(
        mesh: &'m Mesh<'a>,
        environment: &'b Environment<'m, 'a>,
        pods: &'b [PodGroup<'m, 'a>],
        mtls: &'b Mtls<'m, 'a>,
    ) -> Self {
        let describer = Describer {
            mesh,
            environment,
            mtls,
        };
        let mut slices: FxHashMap<SliceKey<'m>, Vec<_>> = FxHashMap::default();
        for slice in mesh.all::<EndpointSlice<'a>>() {
            if let Some(name) = slice.header.labels.get("kubernetes.io/service-name") {
                let key = (slice.header.cluster, slice.header.namespace.as_str(), name.as_str());
                slices.entry(key).or_default().push(slice);
            }
        }
        Self {
            mesh,
            environment,
            pods,
            instances: Instances::new(&describer, pods),
            describer,
            slices,
        }
    }

    /// All services, in no order.
    pub(super) fn services(&self) -> Vec<Service<'m, 'a>> {
        let mut services: Vec<Service<'m, 'a>> = Vec::new();
        let mut known: FxHashMap<(Str, &'m str), usize> = FxHashMap::default();
        let mut written: Vec<_> = self.mesh.all::<kubernetes::Service<'a>>().collect();
        written.retain(|service| self.is_discovered(service.header.namespace.as_str()));
        written.sort_by_key(|service| service.header.cluster);
        let written = written.into_iter().map(|object| self.service(object));
        for service in written.chain(self.gateways()) {
            let key = (service.host.clone(), service.namespace);
            if let Some(first) = known.get(&key) {
                join_cluster(&mut services[*first], service);
            } else {
                known.insert(key, services.len());
                services.push(service);
            }
        }
        for service in self.sorted_entries().into_iter().flat_map(|entry| self.entries(entry)) {
            let key = (service.host.clone(), service.namespace);
            if let Some(first) = known.get(&key) {
                join_entry(&mut services[*first], service);
            } else {
                known.insert(key, services.len());
                services.push(service);
            }
        }
        for service in &mut services {
            service.identities = self.identities(service).into();
        }
        services
    }

    /// ServiceEntries of the first cluster, the oldest first.
    fn sorted_entries(&self) -> Vec<Object<'m, 'a, ServiceEntry<'a>>> {
        let entries = self.mesh.all::<ServiceEntry<'a>>();
        let mut entries: Vec<_> = entries.filter(|entry| entry.header.cluster == 0).collect();
        entries.sort_by_key(|entry| {
            let created = entry.header.created.map_or(UNDATED, |created| created.as_str());
            (created, entry.header.name.as_str(), entry.header.namespace.as_str())
        });
        entries
    }

    /// Whether istiod looks at a namespace: one of `discoverySelectors` selects it, or there is none.
    fn is_discovered(&self, namespace: &str) -> bool {
        let selectors = &self.environment.config.discovery_selectors;
        if selectors.is_empty() {
            return true;
        }
        let found = self.mesh.namespace(namespace);
        let label = |key: &str| match found.and_then(|found| found.header.labels.get(key).copied()) {
            Some(text) => Some(text.as_str()),
            None => (key == "kubernetes.io/metadata.name").then_some(namespace),
        };
        selectors.iter().any(|selector| selector.selects(label))
    }

    /// The endpoints of an instance on a port: one for each pod, or the address of an entry. Names are addresses for DNS only.
    pub(super) fn expand(&self, instance: &Instance<'m, 'a>, port: u32, by_dns: bool) -> Vec<Endpoint> {
        let mut form = instance.form.clone();
        form.refuses_mtls = self.describer.refuses_mtls(instance, port);
        match instance.kind {
            Kind::Pods(place) => self.expand_pods(&self.pods[place], &form, port),
            Kind::Entry(entry) => {
                let address = entry.address.map_or("", |address| address.as_str());
                form.address = match address.strip_prefix("unix://") {
                    Some(path) => Address::pipe(path),
                    None if by_dns || is_address(address) => Address::socket(address, port),
                    None => return Vec::new(),
                };
                vec![form]
            }
        }
    }

    fn expand_pods(&self, pod: &PodGroup<'m, 'a>, form: &Endpoint, port: u32) -> Vec<Endpoint> {
        let endpoint = |number: u32| Endpoint {
            address: Address::socket(pod.address(number, self.mesh), port),
            workload: (self.describer).workload(&pod.pod(number), pod.namespace, &pod.labels, pod.cluster),
            ..form.clone()
        };
        (0..pod.replicas).map(endpoint).collect()
    }

    /// What the certificates of a service may say, in every trust domain, sorted.
    fn identities(&self, service: &Service<'m, 'a>) -> Vec<Str> {
        let of_endpoints = service
            .endpoints
            .iter()
            .flatten()
            .map(|endpoint| &endpoint.service_account);
        let known: FxHashSet<&Str> = of_endpoints.chain(&service.subject_alt_names).collect();
        let own = format!("spiffe://{}/", self.environment.trust_domain);
        let mut all: Vec<Str> = Vec::new();
        for identity in known.into_iter().filter(|identity| !identity.is_empty()) {
            all.push(identity.clone());
            if let Some(rest) = identity.strip_prefix(own.as_str()) {
                let aliases = self.environment.trust_domain_aliases.iter();
                all.extend(aliases.map(|alias| Str::from(format!("spiffe://{alias}/{rest}"))));
            }
        }
        all.sort();
        all.dedup();
        all
    }
}

fn is_address(text: &str) -> bool {
    crate::values::address::parse(text).is_some()
}

/// Adds what another cluster has behind the same name: its address, and endpoints by the name of the port (catalogue:
/// several clusters, 65).
fn join_cluster<'m, 'a>(first: &mut Service<'m, 'a>, other: Service<'m, 'a>) {
    first.addresses.extend(other.addresses);
    for (port, endpoints) in other.ports.iter().zip(other.endpoints) {
        if let Some(place) = first.ports.iter().position(|candidate| candidate.name == port.name) {
            first.endpoints[place].extend(endpoints);
        }
    }
}

/// Adds a ServiceEntry to what has its host in its namespace already: to an older entry also ports, to a Service only
/// endpoints, which come before its pods (catalogue: entries, 54 and 56).
fn join_entry<'m, 'a>(first: &mut Service<'m, 'a>, other: Service<'m, 'a>) {
    let is_entry = matches!(first.provider, crate::mesh::Provider::ServiceEntry(_));
    first.subject_alt_names.extend(other.subject_alt_names);
    if is_entry {
        for port in &other.ports {
            if first.port(port.number).is_some() {
                first.later_ports.push(port.clone());
            } else {
                first.ports.push(port.clone());
                first.endpoints.push(Vec::new());
            }
        }
    }
    for (port, mut endpoints) in other.ports.iter().zip(other.endpoints) {
        let Some(place) = first.ports.iter().position(|candidate| candidate.name == port.name) else {
            continue;
        };
        if is_entry {
            first.endpoints[place].append(&mut endpoints);
        } else {
            endpoints.append(&mut first.endpoints[place]);
            first.endpoints[place] = endpoints;
        }
    }
}

impl Port {
    /// The number of the port behind it; where pods name it, its own.
    pub(super) fn target_number(&self) -> u32 {
        match &self.target {
            Target::Number(number) => *number,
            Target::Name(_) => self.number,
        }
    }
}
