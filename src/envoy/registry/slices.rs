//! EndpointSlices that are written for Services without a selector.

use super::builder::Builder;
use super::{Endpoint, Hbone, Health, Port};
use crate::envoy::message::{Address, Locality, Str};
use crate::mesh::Object;
use crate::model::Header;
use crate::model::kubernetes::{self, EndpointConditions, EndpointSlice};

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// The endpoints of written slices, by the names of ports.
    pub(super) fn sliced(&self, header: &Header<'a>, ports: &[Port]) -> Vec<Vec<Endpoint>> {
        let key = (header.cluster, header.namespace.as_str(), header.name.as_str());
        let slices = self.slices.get(&key).map_or(&[][..], Vec::as_slice);
        let of_port = |port: &Port| {
            let of_slice = |slice: &Object<'m, 'a, EndpointSlice<'a>>| {
                let named = |candidate: &&kubernetes::EndpointPort<'a>| {
                    candidate.name.map_or("", |name| name.as_str()) == port.name.as_str()
                };
                let number = slice.body.ports.iter().find(named)?.port?;
                Some(self.slice_endpoints(slice, u32::try_from(number.value).ok()?))
            };
            slices.iter().filter_map(of_slice).flatten().collect()
        };
        ports.iter().map(of_port).collect()
    }

    fn slice_endpoints(&self, slice: &Object<'m, 'a, EndpointSlice<'a>>, port: u32) -> Vec<Endpoint> {
        let namespace = slice.header.namespace.as_str();
        let endpoints = slice.body.endpoints.iter().filter_map(|endpoint| {
            let health = health(endpoint.conditions.as_ref())?;
            Some(endpoint.addresses.iter().map(move |address| (address, health)))
        });
        let made = endpoints.flatten().map(|(address, health)| Endpoint {
            address: Address::socket(address.as_str(), port),
            labels: [].into(),
            namespace: Str::new(namespace),
            workload: self.describer.workload("", namespace, &[], slice.header.cluster),
            service_account: Str::default(),
            locality: Locality::default(),
            locality_text: Str::default(),
            network: self
                .environment
                .network(self.mesh, slice.header.cluster, address.as_str()),
            cluster: slice.header.cluster,
            mtls: false,
            refuses_mtls: false,
            hbone: Hbone::No,
            health,
            weight: 1,
            span: address.span,
        });
        made.collect()
    }
}

/// Whether an endpoint takes traffic; `None` if it goes away. One that is not ready and does not say that it stays, goes
/// (catalogue: endpoints, 59).
fn health(conditions: Option<&EndpointConditions>) -> Option<Health> {
    let ready = conditions
        .and_then(|conditions| conditions.ready)
        .is_none_or(|ready| ready.value);
    let terminating = conditions
        .and_then(|conditions| conditions.terminating)
        .map(|terminating| terminating.value);
    match (ready, terminating) {
        (_, Some(true)) | (false, None) => None,
        (true, _) => Some(Health::Healthy),
        (false, Some(false)) => Some(Health::Unhealthy),
    }
}
