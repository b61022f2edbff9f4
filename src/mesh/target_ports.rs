//! Ports of pods that Services mean by a name.

use super::{Lookup, Mesh, Object, ResourceId};
use crate::model::kubernetes::Service;
use crate::model::{Labels, Slot};
use crate::schema::nearest;
use crate::yaml::is_placeholder;

/// The port that the injector gives to each sidecar.
const ADDED_LATER: &str = "http-envoy-prom";

impl<'a> Mesh<'a> {
    /// Whether some of the pods that a Service selects, of those with further labels, give a port this name.
    pub fn named_port(
        &self,
        service: Object<'_, 'a, Service<'a>>,
        further: &[(&str, &str)],
        name: &str,
    ) -> Lookup<Vec<ResourceId>> {
        let selector = &service.body.selector;
        if selector.is_empty() || selector.placeholder() || service.header.patched || is_placeholder(name) {
            return Lookup::Unknown;
        }
        let wanted: Vec<_> = selector.iter().chain(further.iter().copied()).collect();
        let namespace = service.header.namespace.as_str();
        let pods: Vec<_> = self.select(Some(namespace), &wanted).collect();
        let open = |id: &ResourceId| {
            let header = self.header(*id);
            let unknown = self.template_of(*id).is_none() || self.labels_of(*id).is_some_and(Labels::placeholder);
            unknown || header.patched || !self.is_surely(header, service.header)
        };
        if name == ADDED_LATER || pods.is_empty() || pods.iter().any(open) {
            return Lookup::Unknown;
        }
        let named: Vec<_> = pods
            .iter()
            .copied()
            .filter(|id| self.port_names(*id).any(|port| port == name))
            .collect();
        if !named.is_empty() {
            return Lookup::Found(named);
        }
        let names: Vec<_> = pods.iter().flat_map(|id| self.port_names(*id)).collect();
        if names.iter().any(|name| is_placeholder(name)) || !self.owns(Slot::Workload, namespace, service.header) {
            return Lookup::Unknown;
        }
        Lookup::Absent {
            nearest: nearest(name, names.into_iter()).map(str::to_owned),
        }
    }

    fn port_names(&self, workload: ResourceId) -> impl Iterator<Item = &'a str> {
        let containers = self
            .template_of(workload)
            .into_iter()
            .flat_map(crate::model::kubernetes::PodTemplate::containers);
        let ports = containers.flat_map(|container| &container.ports);
        ports.filter_map(|port| port.name.map(|name| name.value.as_str()))
    }
}
