//! `DestinationRule`s: hosts, subsets, and how proxies connect to them.

mod conflicting_load_balancer_settings;
mod conflicting_locality_settings;
mod conflicting_tls_credentials;
mod deprecated_policy_field;
mod empty_connection_pool;
mod empty_traffic_policy;
mod exported_workload_rule;
mod failover_to_same_region;
mod failover_without_outlier_detection;
mod foreign_config_map_credential;
mod local_origin_failures_not_split;
mod mutual_tls_without_certificate;
mod overlapping_localities;
mod repeated_cookie_attribute;
mod repeated_subset;
mod tunnel_with_proxy_protocol;
mod uneven_locality_weights;
mod unknown_rule_host;
mod unmatched_subset;
mod unused_tls_credentials;
mod upgrade_with_client_protocol;

use super::Rule;
use crate::mesh::Mesh;
use crate::model::istio::{ConnectionPoolSettings, DestinationRule, Sidecar};

pub const RULES: &[Rule] = &[
    conflicting_load_balancer_settings::RULE,
    conflicting_locality_settings::RULE,
    conflicting_tls_credentials::RULE,
    deprecated_policy_field::RULE,
    empty_connection_pool::RULE,
    empty_traffic_policy::RULE,
    exported_workload_rule::RULE,
    failover_to_same_region::RULE,
    failover_without_outlier_detection::RULE,
    foreign_config_map_credential::RULE,
    local_origin_failures_not_split::RULE,
    mutual_tls_without_certificate::RULE,
    overlapping_localities::RULE,
    repeated_cookie_attribute::RULE,
    repeated_subset::RULE,
    tunnel_with_proxy_protocol::RULE,
    uneven_locality_weights::RULE,
    unknown_rule_host::RULE,
    unmatched_subset::RULE,
    unused_tls_credentials::RULE,
    upgrade_with_client_protocol::RULE,
];

/// The connection pools of `DestinationRule`s and `Sidecar`s.
fn connection_pools<'m, 'a>(mesh: &'m Mesh<'a>) -> impl Iterator<Item = &'m ConnectionPoolSettings<'a>> {
    let outbound = mesh
        .all::<DestinationRule<'a>>()
        .flat_map(|rule| rule.body.policy_levels())
        .filter_map(|level| level.connection_pool);
    let inbound = mesh.all::<Sidecar<'a>>().flat_map(|sidecar| {
        let listeners = sidecar
            .body
            .ingress
            .iter()
            .filter_map(|listener| listener.connection_pool.as_deref());
        sidecar
            .body
            .inbound_connection_pool
            .as_deref()
            .into_iter()
            .chain(listeners)
    });
    outbound.chain(inbound)
}
