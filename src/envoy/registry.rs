//! The service registry: what istiod knows of Services, ServiceEntries and what stands behind them.
//!
//! Services of Kubernetes, of several clusters under one name, and the hosts of ServiceEntries become one kind of
//! [`Service`], in the order of istiod: by age, then name, then namespace. Knows nothing of the proxy that asks.

use rustc_hash::FxHashMap;

use super::environment::Environment;
use super::gateway_api;
use super::message::{Address, Locality, Str};
use super::pods::{PodGroup, locality, named};
use crate::mesh::{ExportTo, Mesh, Object, Protocol, Provider, protocol};
use crate::model::istio::{self, ServiceEntry, WorkloadEntry};
use crate::model::kubernetes::{self, EndpointSlice};
use crate::model::{Header, Labels, Text};
use crate::source::Span;

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
    /// Where it is written.
    pub span: Span,
}

/// One address behind a port of a service.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Address and port.
    pub address: Address,
    /// The labels by which subsets choose, sorted.
    pub labels: std::sync::Arc<[(Str, Str)]>,
    /// The namespace.
    pub namespace: Str,
    /// The workload's name as metadata give it.
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
    /// Whether ztunnel or a waypoint takes HBONE for it.
    pub hbone: bool,
    /// Whether it takes traffic; an endpoint of a ServiceEntry has no health.
    pub health: Health,
    /// Its weight.
    pub weight: u32,
    /// Where it is written.
    pub span: Span,
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
}

impl<'m, 'a> Registry<'m, 'a> {
    /// Collects the services.
    pub fn new(mesh: &'m Mesh<'a>, environment: &Environment<'m, 'a>, pods: &[PodGroup<'m, 'a>]) -> Self {
        let builder = Builder {
            mesh,
            environment,
            pods,
        };
        let mut services: Vec<Service<'m, 'a>> = Vec::new();
        let mut known: FxHashMap<Str, ServiceId> = FxHashMap::default();
        for object in mesh.all::<kubernetes::Service<'a>>() {
            let service = builder.service(object);
            match known.get(&service.host) {
                Some(first) => builder.join(&mut services[*first], service),
                None => {
                    known.insert(service.host.clone(), services.len());
                    services.push(service);
                }
            }
        }
        for service in builder.gateways() {
            known.insert(service.host.clone(), services.len());
            services.push(service);
        }
        for object in mesh.all::<ServiceEntry<'a>>().filter(|entry| entry.header.cluster == 0) {
            services.extend(builder.entries(object));
        }
        services.sort_by(|a, b| (a.created, &a.name, a.namespace).cmp(&(b.created, &b.name, b.namespace)));
        let mut by_host: FxHashMap<Str, Vec<ServiceId>> = FxHashMap::default();
        for (id, service) in services.iter().enumerate() {
            by_host.entry(service.host.clone()).or_default().push(id);
        }
        let mut registry = Self { services, by_host };
        registry.link_aliases();
        registry
    }

    /// The services of a host: one, or one for each namespace that defines it. The oldest is first.
    pub fn of_host(&self, host: &str) -> &[ServiceId] {
        self.by_host.get(host).map_or(&[], Vec::as_slice)
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
}

struct Builder<'b, 'm, 'a> {
    mesh: &'m Mesh<'a>,
    environment: &'b Environment<'m, 'a>,
    pods: &'b [PodGroup<'m, 'a>],
}

/// What counts as the age of an Istio resource that does not tell it: the recordings were made so.
pub const UNDATED: &str = "2026-01-01T00:00:00Z";

impl<'m, 'a> Builder<'_, 'm, 'a> {
    fn service(&self, object: Object<'m, 'a, kubernetes::Service<'a>>) -> Service<'m, 'a> {
        let (header, body) = (object.header, object.body);
        let headless = body.cluster_ip.is_some_and(|address| address.as_str() == "None");
        let is_alias = body.type_name.is_some_and(|name| name.as_str() == "ExternalName");
        let domain = &self.mesh.settings.cluster_domain;
        let ports: Vec<Port> = body.ports.iter().filter_map(service_port).collect();
        let endpoints = self.endpoints(object, &ports);
        Service {
            host: Str::from(format!("{}.{}.svc.{domain}", header.name, header.namespace)),
            name: Str::new(header.name.as_str()),
            namespace: header.namespace.as_str(),
            provider: Provider::Service(object.id),
            header,
            resolution: match (is_alias, headless) {
                (true, _) => Resolution::Alias,
                (false, true) => Resolution::Passthrough,
                (false, false) => Resolution::ClientSide,
            },
            external: false,
            addresses: self.addresses(header, body, headless || is_alias),
            export_to: self.service_export(header),
            created: header.created.map_or("", |created| created.as_str()),
            external_name: body
                .external_name
                .filter(|_| is_alias)
                .map(|name| Str::new(name.as_str())),
            subject_alt_names: Vec::new(),
            endpoints,
            aliases: Vec::new(),
            span: header.span,
            ports,
        }
    }

    fn addresses(&self, header: &Header<'a>, body: &kubernetes::Service<'a>, none: bool) -> Vec<(u16, Str)> {
        if none {
            return Vec::new();
        }
        let written = body.cluster_ip.filter(|address| !address.is_empty());
        let address = written.map_or_else(
            || named(self.mesh, "vip", &header.name, &header.namespace, header.cluster),
            |address| Str::new(address.as_str()),
        );
        vec![(header.cluster, address)]
    }

    fn service_export(&self, header: &'m Header<'a>) -> ExportTo<'m> {
        let annotation = header.annotations.get("networking.istio.io/exportTo");
        match annotation {
            Some(list) => ExportTo::new(list.as_str().split(',').map(str::trim), header.namespace.as_str()),
            None => ExportTo::of(&[], &self.mesh.settings.service_export_to, header.namespace.as_str()),
        }
    }

    /// What answers for each port: the pods that the selector chooses, or the endpoints of written slices.
    fn endpoints(&self, object: Object<'m, 'a, kubernetes::Service<'a>>, ports: &[Port]) -> Vec<Vec<Endpoint>> {
        let (header, body) = (object.header, object.body);
        if body.selector.is_empty() {
            return self.sliced(header, ports);
        }
        let selected: Vec<&PodGroup<'m, 'a>> = (self.pods.iter())
            .filter(|pod| {
                pod.cluster == header.cluster
                    && pod.namespace == header.namespace.as_str()
                    && pod.has(body.selector.iter())
            })
            .collect();
        let of_port = |port: &Port| {
            let reached = selected.iter().filter(|_| port.protocol != Protocol::Udp);
            reached
                .filter_map(|pod| Some((pod, self.target(pod, &port.target)?)))
                .flat_map(|(pod, number)| (0..pod.replicas).map(move |index| self.endpoint(pod, index, number)))
                .collect()
        };
        ports.iter().map(of_port).collect()
    }

    /// The Services that istiod makes for Gateways of the Gateway API.
    fn gateways(&self) -> Vec<Service<'m, 'a>> {
        let mut services = Vec::new();
        for mut service in gateway_api::services(self.mesh, self.environment) {
            let selector = (gateway_api::GATEWAY_NAME, service.header.name.as_str());
            let pods: Vec<_> = (self.pods.iter())
                .filter(|pod| pod.namespace == service.namespace && pod.has([selector]))
                .collect();
            let of_port = |port: &Port| {
                let number = target_number(port);
                let addresses = pods
                    .iter()
                    .flat_map(|pod| (0..pod.replicas).map(move |index| (pod, index)));
                addresses
                    .map(|(pod, index)| self.endpoint(pod, index, number))
                    .collect()
            };
            service.endpoints = service.ports.iter().map(of_port).collect();
            services.push(service);
        }
        services
    }

    #[expect(clippy::unused_self, reason = "the other targets need the mesh")]
    fn target(&self, pod: &PodGroup<'m, 'a>, target: &Target) -> Option<u32> {
        match target {
            Target::Number(number) => Some(*number),
            Target::Name(name) => pod.port_named(name),
        }
    }

    fn endpoint(&self, pod: &PodGroup<'m, 'a>, index: u32, port: u32) -> Endpoint {
        Endpoint {
            address: Address::socket(pod.address(index, self.mesh), port),
            labels: pod.labels.clone().into(),
            namespace: Str::new(pod.namespace),
            workload: pod.pod(index),
            service_account: self.identity(pod.namespace, &pod.service_account),
            locality: pod.locality.clone(),
            locality_text: pod.locality_text.clone(),
            network: pod.network.clone(),
            cluster: pod.cluster,
            mtls: pod.speaks_mtls(),
            hbone: false,
            health: Health::Healthy,
            weight: 1,
            span: pod.span,
        }
    }

    fn identity(&self, namespace: &str, account: &str) -> Str {
        Str::from(format!(
            "spiffe://{}/ns/{namespace}/sa/{account}",
            self.environment.trust_domain
        ))
    }

    fn sliced(&self, header: &Header<'a>, ports: &[Port]) -> Vec<Vec<Endpoint>> {
        let slices: Vec<_> = (self.mesh.all::<EndpointSlice<'a>>())
            .filter(|slice| {
                slice.header.cluster == header.cluster
                    && slice.header.namespace.as_str() == header.namespace.as_str()
                    && slice
                        .header
                        .labels
                        .has("kubernetes.io/service-name", header.name.as_str())
            })
            .collect();
        let of_port = |port: &Port| {
            let endpoints = slices.iter().flat_map(|slice| {
                let number = slice
                    .body
                    .ports
                    .iter()
                    .find(|candidate| candidate.name.map_or("", |name| name.as_str()) == port.name.as_str());
                let number = number.and_then(|port| u32::try_from(port.port?.value).ok());
                number
                    .into_iter()
                    .flat_map(|number| self.slice_endpoints(slice, number))
            });
            endpoints.collect()
        };
        ports.iter().map(of_port).collect()
    }

    fn slice_endpoints(&self, slice: &Object<'m, 'a, EndpointSlice<'a>>, port: u32) -> Vec<Endpoint> {
        let ready = slice.body.endpoints.iter().filter(|endpoint| {
            (endpoint.conditions.as_ref())
                .and_then(|conditions| conditions.ready)
                .is_none_or(|ready| ready.value)
        });
        let addresses = ready.flat_map(|endpoint| endpoint.addresses.iter());
        addresses
            .map(|address| Endpoint {
                address: Address::socket(address.as_str(), port),
                labels: Vec::new().into(),
                namespace: Str::new(slice.header.namespace.as_str()),
                workload: Str::default(),
                service_account: Str::default(),
                locality: Locality::default(),
                locality_text: Str::default(),
                network: Str::default(),
                cluster: slice.header.cluster,
                mtls: false,
                hbone: false,
                health: Health::Healthy,
                weight: 1,
                span: address.span,
            })
            .collect()
    }

    /// Adds what another cluster has behind the same name: its address, and endpoints by the name of the port.
    #[expect(clippy::unused_self, reason = "a step of the builder")]
    fn join(&self, first: &mut Service<'m, 'a>, other: Service<'m, 'a>) {
        first.addresses.extend(other.addresses);
        for (port, endpoints) in other.ports.iter().zip(other.endpoints) {
            if let Some(place) = first.ports.iter().position(|candidate| candidate.name == port.name) {
                first.endpoints[place].extend(endpoints);
            }
        }
    }

    /// The services of a ServiceEntry, one a host.
    fn entries(&self, object: Object<'m, 'a, ServiceEntry<'a>>) -> Vec<Service<'m, 'a>> {
        let (header, body) = (object.header, object.body);
        let ports: Vec<Port> = body.ports.iter().filter_map(entry_port).collect();
        let resolution = match body.resolution.map_or("NONE", |resolution| resolution.as_str()) {
            "STATIC" => Resolution::ClientSide,
            "DNS" => Resolution::Dns,
            "DNS_ROUND_ROBIN" => Resolution::DnsRoundRobin,
            "DYNAMIC_DNS" => Resolution::DynamicDns,
            _ => Resolution::Passthrough,
        };
        let hosts = body.hosts.iter().map(|host| Service {
            host: Str::new(host.as_str()),
            name: Str::new(host.as_str()),
            namespace: header.namespace.as_str(),
            provider: Provider::ServiceEntry(object.id),
            header,
            ports: ports.clone(),
            resolution,
            external: body
                .location
                .is_none_or(|location| location.as_str() == "MESH_EXTERNAL"),
            addresses: body
                .addresses
                .iter()
                .map(|address| (header.cluster, Str::new(address.as_str())))
                .collect(),
            export_to: ExportTo::of(
                &body.export_to,
                &self.mesh.settings.service_export_to,
                header.namespace.as_str(),
            ),
            created: header.created.map_or(UNDATED, |created| created.as_str()),
            external_name: None,
            subject_alt_names: body
                .subject_alt_names
                .iter()
                .map(|name| Str::new(name.as_str()))
                .collect(),
            endpoints: ports
                .iter()
                .map(|port| self.entry_endpoints(header, body, host, port, resolution))
                .collect(),
            aliases: Vec::new(),
            span: host.span,
        });
        hosts.collect()
    }

    fn entry_endpoints(
        &self,
        header: &'m Header<'a>,
        entry: &'m ServiceEntry<'a>,
        host: &Text<'a>,
        port: &Port,
        resolution: Resolution,
    ) -> Vec<Endpoint> {
        if resolution == Resolution::Passthrough || resolution == Resolution::DynamicDns {
            return Vec::new();
        }
        if let Some(selector) = &entry.workload_selector {
            return self.selected(header, &selector.labels, port);
        }
        let inline = entry
            .endpoints
            .iter()
            .map(|endpoint| self.workload_entry(endpoint, &endpoint.labels, header, port, endpoint.span));
        let mut endpoints: Vec<Endpoint> = inline.collect();
        if endpoints.is_empty() && resolution != Resolution::ClientSide {
            let number = target_number(port);
            endpoints.push(Endpoint {
                address: Address::socket(host.as_str(), number),
                labels: Vec::new().into(),
                namespace: Str::new(header.namespace.as_str()),
                workload: Str::default(),
                service_account: Str::default(),
                locality: Locality::default(),
                locality_text: Str::default(),
                network: Str::default(),
                cluster: header.cluster,
                mtls: false,
                hbone: false,
                health: Health::Unwatched,
                weight: 1,
                span: host.span,
            });
        }
        endpoints
    }

    /// The WorkloadEntries and pods of the namespace that a ServiceEntry selects.
    fn selected(&self, header: &'m Header<'a>, labels: &Labels<'a>, port: &Port) -> Vec<Endpoint> {
        let entries = self.mesh.all::<WorkloadEntry<'a>>().filter(|entry| {
            entry.header.namespace.as_str() == header.namespace.as_str()
                && (labels.select(&entry.body.labels) || labels.select(&entry.header.labels))
        });
        let entries = entries
            .map(|entry| self.workload_entry(entry.body, &entry.body.labels, entry.header, port, entry.header.span));
        let pods = self
            .pods
            .iter()
            .filter(|pod| pod.namespace == header.namespace.as_str() && pod.has(labels.iter()));
        let pods =
            pods.flat_map(|pod| (0..pod.replicas).map(move |index| self.endpoint(pod, index, target_number(port))));
        entries.chain(pods).collect()
    }

    fn workload_entry(
        &self,
        entry: &istio::WorkloadEntry<'a>,
        labels: &Labels<'a>,
        header: &Header<'a>,
        port: &Port,
        span: Span,
    ) -> Endpoint {
        let own_port = entry
            .ports
            .as_ref()
            .and_then(|ports| ports.get(&port.name))
            .and_then(|port| match port.value {
                crate::model::Value::Int(number) => u32::try_from(number).ok(),
                _ => None,
            });
        let address = entry.address.map_or("", |address| address.as_str());
        let address = match address.strip_prefix("unix://") {
            Some(path) => Address::pipe(path),
            None => Address::socket(address, own_port.unwrap_or_else(|| target_number(port))),
        };
        let account = entry
            .service_account
            .map(|account| self.identity(&header.namespace, &account));
        let mut sorted: Vec<(Str, Str)> = labels
            .iter()
            .map(|(key, value)| (Str::new(key), Str::new(value)))
            .collect();
        sorted.sort();
        let mtls = labels.has("security.istio.io/tlsMode", "istio")
            || (account.is_some() && labels.get("security.istio.io/tlsMode").is_none());
        let locality_text = entry
            .locality
            .map_or(Str::default(), |locality| Str::new(locality.as_str()));
        Endpoint {
            address,
            labels: sorted.into(),
            namespace: Str::new(header.namespace.as_str()),
            workload: Str::new(header.name.as_str()),
            service_account: account.unwrap_or_default(),
            locality: locality(&locality_text),
            locality_text,
            network: entry
                .network
                .map_or(Str::default(), |network| Str::new(network.as_str())),
            cluster: header.cluster,
            mtls,
            hbone: false,
            health: Health::Unwatched,
            weight: entry
                .weight
                .map_or(1, |weight| u32::try_from(weight.value).unwrap_or(1).max(1)),
            span,
        }
    }
}

fn target_number(port: &Port) -> u32 {
    match &port.target {
        Target::Number(number) => *number,
        Target::Name(_) => port.number,
    }
}

/// What istiod makes of a port of a Service.
pub fn service_port(port: &kubernetes::ServicePort<'_>) -> Option<Port> {
    let number = u32::try_from(port.port?.value).ok()?;
    let text = |text: Option<Text<'_>>| text.map_or(Str::default(), |text| Str::new(text.as_str()));
    let name = text(port.name);
    let target = text(port.target_port);
    Some(Port {
        number,
        protocol: protocol(
            port.protocol.as_ref().map(|text| text.as_str()),
            port.app_protocol.as_ref().map(|text| text.as_str()),
            Some(name.as_str()).filter(|name| !name.is_empty()),
            i64::from(number),
        ),
        name,
        target: match target.parse() {
            _ if target.is_empty() => Target::Number(number),
            Ok(0) => Target::Number(number),
            Ok(target) => Target::Number(target),
            Err(_) => Target::Name(target),
        },
    })
}

fn entry_port(port: &istio::ServicePort<'_>) -> Option<Port> {
    let number = u32::try_from(port.number?.value).ok()?;
    let target = port
        .target_port
        .and_then(|target| u32::try_from(target.value).ok())
        .filter(|target| *target != 0);
    Some(Port {
        number,
        name: port.name.map_or(Str::default(), |name| Str::new(name.as_str())),
        protocol: port
            .protocol
            .and_then(|name| Protocol::from_name(name.as_str()))
            .unwrap_or(Protocol::Auto),
        target: Target::Number(target.unwrap_or(number)),
    })
}
