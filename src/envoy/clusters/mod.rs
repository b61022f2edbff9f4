//! Outbound clusters: one for every port of every service that a proxy is told of, and for the subsets of its
//! DestinationRule; those that stand for no service; those that the SNI of a gateway names.
//!
//! Inbound clusters are made elsewhere and take their connection pools from here.

mod balancer;
mod cache;
mod destination;
mod header_case;
mod outbound;
mod pool;
mod stat_name;
mod tls;
mod tunnel;
mod unnamed;

pub use balancer::passes_through;
pub use cache::Clusters;
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
use super::{Configuration, Piece, World, gateways};
use crate::mesh::Protocol;
use cache::Sight;

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
    let sight = Sight::new(world, proxy, preserves_case, false);
    add(&sight, scope, configuration, is_wanted);
    if gateways::passes_by_sni(world, proxy) {
        let sight = Sight::new(world, proxy, preserves_case, true);
        add(&sight, scope, configuration, |service| !service.external);
    }
    configuration.clusters.push(unnamed::black_hole(world).into());
    if proxy.role == Some(Role::Sidecar) {
        let mut passthrough = unnamed::passthrough(world, proxy);
        if preserves_case {
            preserve_header_case(&mut passthrough, Protocol::Auto);
        }
        configuration.clusters.push(passthrough.into());
        configuration
            .clusters
            .extend(unnamed::dynamic_dns(world, scope).map(Piece::from));
    }
    if world.environment.ambient() {
        configuration.clusters.push(connect_originate(world).into());
    }
}

/// Adds the clusters of services and, where istiod tells them, their endpoints.
fn add(
    sight: &Sight<'_, '_, '_>,
    scope: &Scope,
    configuration: &mut Configuration,
    is_wanted: impl Fn(&Service<'_, '_>) -> bool,
) {
    let services = &sight.world.registry.services;
    for imported in scope
        .services
        .iter()
        .filter(|imported| is_wanted(&services[imported.service]))
    {
        let rule = sight
            .world
            .destinations
            .rule_for(sight.client, &services[imported.service]);
        for told in sight.of_service(imported.service, rule).iter() {
            if imported.ports.has(told.port) {
                configuration.clusters.push(told.cluster.clone());
                configuration.endpoints.extend(told.endpoints.clone());
            }
        }
    }
}
