//! Outbound clusters: one for every port of every service that a proxy is told of, and for the subsets of its
//! DestinationRule; those that stand for no service; those that the SNI of a gateway names.
//!
//! Inbound clusters are made elsewhere and take their connection pools from here.

mod balancer;
mod destination;
mod header_case;
mod outbound;
mod pool;
mod stat_name;
mod tls;
mod tunnel;
mod unnamed;

pub use balancer::passes_through;
pub use destination::{Destination, destinations, of_port as destinations_of_port};
pub use header_case::preserve_header_case;
pub use outbound::cluster as outbound_cluster;
pub use pool::{apply_connection_pool, apply_outlier_detection};
pub use stat_name::{Named, stat_name};
pub use tunnel::{HBONE_PORT, connect_originate};
pub use unnamed::original_destination;

use super::pods::{PodGroup, Role};
use super::proxy_settings::ProxySettings;
use super::registry::Service;
use super::scope::Scope;
use super::unused::{Reason, Unused};
use super::{Configuration, World, endpoints, gateways};
use crate::mesh::Protocol;

/// Compiles the outbound clusters of a proxy in istiod's order (catalogue: services, 16), and their endpoints.
pub fn compile<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    scope: &Scope,
    configuration: &mut Configuration,
) {
    let referenced = gateways::referenced_hosts(world, proxy);
    let is_wanted = |service: &Service<'_, '_>| (referenced.as_ref()).is_none_or(|hosts| hosts.contains(&service.host));
    let preserves_case = ProxySettings::of(world, proxy).headers.preserve_case;
    let mut add = |destination: &Destination<'_, 'm, 'a>| add(world, proxy, destination, preserves_case, configuration);
    for destination in destinations(world, proxy, scope).filter(|destination| is_wanted(destination.service)) {
        add(&destination);
    }
    if gateways::passes_by_sni(world, proxy) {
        let of_mesh = destinations(world, proxy, scope).filter(|destination| !destination.service.external);
        for mut destination in of_mesh {
            destination.by_sni = true;
            add(&destination);
        }
    }
    configuration.clusters.add(unnamed::black_hole(world));
    if proxy.role == Some(Role::Sidecar) {
        let mut passthrough = unnamed::passthrough(world, proxy);
        if preserves_case {
            preserve_header_case(&mut passthrough, Protocol::Auto);
        }
        configuration.clusters.add(passthrough);
        configuration.clusters.add_all(unnamed::dynamic_dns(world, scope));
    }
    if world.environment.ambient() {
        configuration.clusters.add(connect_originate(world));
    }
}

/// Adds a cluster and, where istiod tells them, its endpoints.
fn add<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    destination: &Destination<'_, 'm, 'a>,
    preserves_case: bool,
    configuration: &mut Configuration,
) {
    let Some(mut cluster) = outbound::cluster(world, proxy, destination) else {
        return;
    };
    if preserves_case {
        preserve_header_case(&mut cluster, destination.port().protocol);
    }
    if cluster.r#type == "EDS" {
        let assignment = endpoints::assignment(world, proxy, destination);
        if let Some(subset) = destination.subset
            && assignment.endpoints.is_empty()
            && !destination.endpoints().is_empty()
        {
            configuration.unused.push(Unused {
                reason: Reason::SubsetWithoutEndpoints,
                span: subset.span,
                because: Some(destination.service.span),
            });
        }
        configuration.endpoints.add(assignment);
    }
    configuration.clusters.add(cluster);
}
