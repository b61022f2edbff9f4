//! Endpoints that are reached through an HBONE tunnel: pods that ztunnel serves, and waypoints before a service.

use crate::envoy::World;
use crate::envoy::clusters::{Destination, HBONE_PORT};
use crate::envoy::message::{
    Address, EnvoyInternalAddress, FilterMetadata, IstioMetadata, Metadata, OriginalDstMetadata, SocketAddress, Str,
    TransportSocketMatchMetadata,
};
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::registry::{Endpoint, Hbone, Service};
use crate::model::Text;

/// The listener inside of the proxy that opens tunnels.
const LISTENER: Str = Str::new_static("connect_originate");

/// The waypoint that a gateway uses for a service, as the service or its namespace says (catalogue: gateways, 70).
pub(super) fn waypoint<'w, 'm, 'a>(
    world: &'w World<'m, 'a>,
    client: &PodGroup<'m, 'a>,
    destination: &Destination<'w, 'm, 'a>,
) -> Option<&'w [Endpoint]> {
    if !world.environment.ambient() || client.role != Some(Role::Gateway) {
        return None;
    }
    let service = destination.service;
    label(world, service, "istio.io/ingress-use-waypoint").filter(|value| *value == "true")?;
    let name = label(world, service, "istio.io/use-waypoint").filter(|name| *name != "none")?;
    let namespace = label(world, service, "istio.io/use-waypoint-namespace").unwrap_or(service.namespace);
    let host = format!("{name}.{namespace}.svc.{}", world.mesh.settings.cluster_domain);
    let waypoint = &world.registry.services[*world.registry.of_host(&host).first()?];
    let place = waypoint.ports.iter().position(|port| port.number == HBONE_PORT)?;
    let endpoints = waypoint.endpoints[place].as_slice();
    (!endpoints.is_empty()).then_some(endpoints)
}

/// A label of the service, or of its namespace.
fn label<'w, 'm>(world: &World<'m, '_>, service: &'w Service<'m, '_>, key: &str) -> Option<&'w str>
where
    'm: 'w,
{
    let own = service.header.labels.get(key).map(Text::as_str);
    own.or_else(|| {
        let namespace = world.mesh.namespace(service.namespace)?;
        namespace.header.labels.get(key).map(Text::as_str)
    })
}

/// Whether a tunnel leads to an endpoint.
pub(super) fn leads_to(world: &World<'_, '_>, endpoint: &Endpoint) -> bool {
    endpoint.hbone != Hbone::No && world.environment.ambient()
}

/// The address inside of the proxy, and what metadata say of the tunnel's end: the endpoint itself or, through a waypoint,
/// the service that is wanted.
pub(super) fn through(endpoint: &Endpoint, wanted: Option<Str>) -> (Address, Metadata) {
    let end = endpoint.address.socket_address.as_ref().map(joined).unwrap_or_default();
    let address = Address {
        envoy_internal_address: Some(EnvoyInternalAddress {
            server_listener_name: LISTENER,
            endpoint_id: end.clone(),
        }),
        ..Address::default()
    };
    let (local, waypoint) = match wanted {
        Some(wanted) => (wanted, end),
        None => (end, Str::default()),
    };
    let metadata = Metadata {
        filter_metadata: Box::new(FilterMetadata {
            istio: Some(IstioMetadata {
                workload: endpoint.workload.clone(),
                ..IstioMetadata::default()
            }),
            transport_socket_match: Some(TransportSocketMatchMetadata {
                tunnel: Str::new_static("http"),
                ..TransportSocketMatchMetadata::default()
            }),
            original_dst: Some(OriginalDstMetadata { local, waypoint }),
        }),
    };
    (address, metadata)
}

/// The address and port of a service as a client wants it.
pub(super) fn wanted(client: &PodGroup<'_, '_>, destination: &Destination<'_, '_, '_>) -> Option<Str> {
    let addresses = &destination.service.addresses;
    let own = addresses.iter().find(|(cluster, _)| *cluster == client.cluster);
    let (_, address) = own.or(addresses.first())?;
    Some(Str::from(format!("{address}:{}", destination.port().number)))
}

fn joined(address: &SocketAddress) -> Str {
    Str::from(format!("{}:{}", address.address, address.port_value))
}
