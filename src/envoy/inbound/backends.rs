//! Which services lead to which pods.

use rustc_hash::FxHashMap;

use crate::envoy::World;
use crate::envoy::gateway_api::GATEWAY_NAME;
use crate::envoy::message::Str;
use crate::envoy::pods::PodGroup;
use crate::envoy::registry::{Port, Registry, ServiceId, Target, UNDATED, service_port};
use crate::mesh::{Mesh, Object, Provider};
use crate::model::Labels;
use crate::model::istio::ServiceEntry;
use crate::model::kubernetes::Service;

/// What selects pods, by where the pods are.
#[derive(Debug, Default)]
pub struct Backends<'m, 'a> {
    /// Services by cluster and namespace: each cluster's own count.
    services: FxHashMap<(u16, &'m str), Vec<Object<'m, 'a, Service<'a>>>>,
    /// The hosts of ServiceEntries with a `workloadSelector`, by namespace.
    entries: FxHashMap<&'m str, Vec<(ServiceId, &'m Labels<'a>)>>,
    /// The Services that istiod makes for Gateways, by namespace.
    deployed: FxHashMap<&'m str, Vec<ServiceId>>,
}

/// A port of a service that leads to a port of a pod.
#[derive(Clone, Debug)]
pub struct ServiceTarget {
    /// The service.
    pub service: ServiceId,
    /// Its port.
    pub port: Port,
    /// The port of the pod.
    pub number: u32,
}

impl<'m, 'a> Backends<'m, 'a> {
    /// Indexes a mesh.
    pub fn new(mesh: &'m Mesh<'a>, registry: &Registry<'m, 'a>) -> Self {
        let mut backends = Self::default();
        for service in mesh
            .all::<Service<'a>>()
            .filter(|service| !service.body.selector.is_empty())
        {
            let place = (service.header.cluster, service.header.namespace.as_str());
            backends.services.entry(place).or_default().push(service);
        }
        for (id, service) in registry.services.iter().enumerate() {
            let resource = match service.provider {
                Provider::ServiceEntry(resource) => resource,
                Provider::Service(resource) => {
                    if mesh.object::<Service<'a>>(resource).is_none() {
                        backends.deployed.entry(service.namespace).or_default().push(id);
                    }
                    continue;
                }
            };
            let entry = mesh.object::<ServiceEntry<'a>>(resource);
            if let Some(selector) = entry.and_then(|entry| entry.body.workload_selector.as_ref()) {
                let entries = backends.entries.entry(service.namespace).or_default();
                entries.push((id, &selector.labels));
            }
        }
        backends
    }

    /// What leads to a pod, by age and then by host (catalogue: clusters, 35).
    pub fn targets(&self, world: &World<'m, 'a>, proxy: &PodGroup<'m, 'a>) -> Vec<ServiceTarget> {
        let mut targets: Vec<((&str, Str), ServiceTarget)> = Vec::new();
        let mut add = |created, service: ServiceId, port: Port| {
            if let Some(number) = pod_port(proxy, &port.target) {
                let host = world.registry.services[service].host.clone();
                targets.push(((created, host), ServiceTarget { service, port, number }));
            }
        };
        for service in self.services_of(proxy) {
            let created = service.header.created.map_or("", |created| created.as_str());
            if let Some(id) = registered(world, service) {
                let ports = service.body.ports.iter().filter_map(service_port);
                ports.for_each(|port| add(created, id, port));
            }
        }
        for id in self.entries_of(proxy) {
            let service = &world.registry.services[id];
            let created = service.header.created.map_or(UNDATED, |created| created.as_str());
            service.ports.iter().for_each(|port| add(created, id, port.clone()));
        }
        for id in self.deployed_for(world, proxy) {
            let service = &world.registry.services[id];
            service
                .ports
                .iter()
                .for_each(|port| add(service.created, id, port.clone()));
        }
        targets.sort_by(|a, b| a.0.cmp(&b.0));
        targets.into_iter().map(|(_, target)| target).collect()
    }

    fn services_of(&self, proxy: &PodGroup<'m, 'a>) -> impl Iterator<Item = &Object<'m, 'a, Service<'a>>> {
        let services = self.services.get(&(proxy.cluster, proxy.namespace));
        let services = services.into_iter().flatten();
        services.filter(|service| proxy.has(service.body.selector.iter()))
    }

    fn deployed_for<'w>(
        &'w self,
        world: &'w World<'m, 'a>,
        proxy: &'w PodGroup<'m, 'a>,
    ) -> impl Iterator<Item = ServiceId> + 'w {
        let deployed = self.deployed.get(proxy.namespace).into_iter().flatten().copied();
        deployed.filter(|id| {
            let header = world.registry.services[*id].header;
            header.cluster == proxy.cluster && proxy.label(GATEWAY_NAME) == Some(header.name.as_str())
        })
    }

    fn entries_of(&self, proxy: &PodGroup<'m, 'a>) -> impl Iterator<Item = ServiceId> {
        let entries = self.entries.get(proxy.namespace).into_iter().flatten();
        let selected = entries.filter(|(_, labels)| !labels.is_empty() && proxy.has(labels.iter()));
        selected.map(|(id, _)| *id)
    }
}

/// What the registry makes of a Service.
fn registered<'m, 'a>(world: &World<'m, 'a>, service: &Object<'m, 'a, Service<'a>>) -> Option<ServiceId> {
    let (name, namespace) = (&service.header.name, service.header.namespace.as_str());
    let host = format!("{name}.{namespace}.svc.{}", world.mesh.settings.cluster_domain);
    let of_host = world.registry.of_host(&host).iter().copied();
    of_host.into_iter().find(|id| {
        let known = &world.registry.services[*id];
        known.namespace == namespace && matches!(known.provider, Provider::Service(_))
    })
}

fn pod_port(proxy: &PodGroup<'_, '_>, target: &Target) -> Option<u32> {
    match target {
        Target::Number(number) => Some(*number),
        Target::Name(name) => proxy.port_named(name),
    }
}
