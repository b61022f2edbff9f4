//! The clusters of a waypoint.

use super::chains::protocols;
use super::{Waypoint, tunnel};
use crate::envoy::clusters::{Destination, destinations_of_port, outbound_cluster};
use crate::envoy::endpoints;
use crate::envoy::fixed::{TUNNEL_DESTINATION, TUNNEL_HOST_METADATA};
use crate::envoy::message::{
    Address, CircuitBreakers, Cluster, ClusterLoadAssignment, CommonHttpProtocolOptions, Endpoint,
    EnvoyInternalAddress, Json, LbEndpoint, LocalityLbEndpoints, RawBuffer, Str, TransportConfig, TransportSocket,
    Wrapped,
};
use crate::envoy::pods::PodGroup;
use crate::envoy::routing::compile::waypoint_cluster_name;
use crate::envoy::{Configuration, World};

/// Compiles the clusters of the services, with their endpoints, and those of tunnels.
pub(super) fn compile<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    waypoint: &Waypoint,
    configuration: &mut Configuration,
) {
    for id in &waypoint.services {
        let service = &world.registry.services[*id];
        let rule = world.destinations.rule_for(proxy, service);
        for (place, port) in service.ports.iter().enumerate() {
            for protocol in protocols(port) {
                for destination in destinations_of_port(world, service, place, rule) {
                    of_destination(world, proxy, &destination, protocol, configuration);
                }
            }
        }
    }
    configuration.clusters.add_all([
        inside("main_internal", "main_internal"),
        inside("encap", tunnel::ORIGINATE),
        tunnel::cluster(world, proxy.namespace),
        inner(world),
        tunnel::outer_cluster(world),
    ]);
}

fn of_destination<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    destination: &Destination<'_, 'm, 'a>,
    protocol: &str,
    configuration: &mut Configuration,
) {
    let Some(mut cluster) = outbound_cluster(world, proxy, destination) else {
        return;
    };
    let (number, subset) = (destination.port().number, destination.subset_name());
    let name = waypoint_cluster_name(number, protocol, subset, &destination.service.host);
    cluster.name = name.clone();
    cluster.alt_stat_name = Str::from(format!("{name};"));
    cluster.filters.clear();
    cluster.transport_socket_matches.clear();
    let inner = match cluster.transport_socket.take() {
        Some(socket) if originates(destination) => socket,
        _ => raw(),
    };
    let metadata = vec![TUNNEL_DESTINATION.clone(), TUNNEL_HOST_METADATA.clone()];
    cluster.transport_socket = Some(internal("internal_upstream", inner, metadata));
    if let Some(istio) = cluster
        .metadata
        .as_mut()
        .and_then(|metadata| metadata.filter_metadata.istio.as_mut())
    {
        istio.disable_mx = false;
        istio.subset = match subset {
            "" => Str::new(protocol),
            subset => Str::from(format!("{protocol}/{subset}")),
        };
    }
    if let Some(eds) = &mut cluster.eds_cluster_config {
        eds.service_name = name.clone();
        let mut assignment = endpoints::assignment(world, proxy, destination);
        assignment.cluster_name = name;
        for endpoint in assignment
            .endpoints
            .iter_mut()
            .flat_map(|group| &mut group.lb_endpoints)
        {
            let metadata = endpoint.metadata.as_mut().map(|metadata| &mut metadata.filter_metadata);
            metadata
                .into_iter()
                .for_each(|metadata| metadata.transport_socket_match = None);
        }
        configuration.endpoints.add(assignment);
    }
    configuration.clusters.add(cluster);
}

/// Whether TLS that is not the mesh's own leads to the endpoints.
fn originates(destination: &Destination<'_, '_, '_>) -> bool {
    let mode = destination.policy.tls.and_then(|tls| tls.mode);
    let by_backend = destination
        .rule
        .is_some_and(|rule| rule.backend_tls(destination.port().number).is_some());
    by_backend || mode.is_some_and(|mode| matches!(mode.as_str(), "SIMPLE" | "MUTUAL"))
}

fn raw() -> TransportSocket {
    TransportSocket {
        name: Str::new_static("raw_buffer"),
        typed_config: Some(TransportConfig::Raw(RawBuffer {})),
    }
}

/// A connection inside the process.
fn internal(name: &'static str, inner: TransportSocket, passthrough_metadata: Vec<Json>) -> TransportSocket {
    TransportSocket {
        name: Str::new_static(name),
        typed_config: Some(TransportConfig::Internal(Box::new(Wrapped {
            config: None,
            transport_socket: Some(Box::new(inner)),
            passthrough_metadata,
        }))),
    }
}

/// A cluster that leads to a listener of the same process.
fn inside(name: &'static str, listener: &'static str) -> Cluster {
    let mut cluster = to_listener(name, listener);
    cluster.transport_socket = Some(internal("internal_upstream", raw(), Vec::new()));
    let options = cluster.http();
    options.set_downstream_protocol();
    options.common_http_protocol_options = Some(CommonHttpProtocolOptions {
        idle_timeout: Some(Str::new_static("300s")),
        ..CommonHttpProtocolOptions::default()
    });
    cluster
}

/// The cluster of inner tunnels.
fn inner(world: &World<'_, '_>) -> Cluster {
    let mut cluster = to_listener(tunnel::INNER, tunnel::OUTER);
    let socket = tunnel::socket(tunnel::identities(&world.environment, None));
    cluster.transport_socket = Some(internal("internal_upstream_with_tls", socket, Vec::new()));
    tunnel::tunnelling(&mut cluster, Some(1));
    cluster
}

fn to_listener(name: &'static str, listener: &'static str) -> Cluster {
    let address = Address {
        envoy_internal_address: Some(EnvoyInternalAddress {
            server_listener_name: Str::new_static(listener),
            endpoint_id: Str::default(),
        }),
        ..Address::default()
    };
    let endpoint = LbEndpoint {
        endpoint: Endpoint { address },
        ..LbEndpoint::default()
    };
    Cluster {
        name: Str::new_static(name),
        alt_stat_name: Str::from(format!("{name};")),
        circuit_breakers: Some(CircuitBreakers::unlimited()),
        load_assignment: Some(ClusterLoadAssignment {
            cluster_name: Str::new_static(name),
            endpoints: vec![LocalityLbEndpoints {
                lb_endpoints: vec![endpoint],
                ..LocalityLbEndpoints::default()
            }],
            ..ClusterLoadAssignment::default()
        }),
        r#type: "STATIC",
        ..Cluster::default()
    }
}
