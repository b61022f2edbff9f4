//! Clusters that stand for no service.

use super::outbound::dynamic_forward_proxy;
use super::{pool, tls};
use crate::envoy::World;
use crate::envoy::destinations::Policy;
use crate::envoy::fixed;
use crate::envoy::message::{Cluster, CommonHttpProtocolOptions, HttpProtocolOptions, Str};
use crate::envoy::pods::PodGroup;
use crate::envoy::scope::Scope;

/// Where connections end that nobody takes.
pub(super) fn black_hole(world: &World<'_, '_>) -> Cluster {
    Cluster {
        name: Str::new_static("BlackHoleCluster"),
        alt_stat_name: Str::new_static("BlackHoleCluster;"),
        connect_timeout: world.environment.connect_timeout.clone(),
        r#type: "STATIC",
        ..Cluster::default()
    }
}

/// The address that the application chose.
pub(super) fn passthrough(world: &World<'_, '_>, proxy: &PodGroup<'_, '_>) -> Cluster {
    let _ = proxy;
    let mut cluster = Cluster {
        filters: vec![fixed::CLUSTER_METADATA_EXCHANGE.clone()],
        ..original_destination(world)
    };
    cluster.name = Str::new_static("PassthroughCluster");
    cluster
}

/// A cluster to the original destination of each connection, under no name. The mesh's default pool gives its thresholds
/// only (catalogue: merging of policies, 4).
pub fn original_destination(world: &World<'_, '_>) -> Cluster {
    let default = Policy::of(&world.environment, None, 0, None);
    let mut cluster = Cluster::default();
    pool::apply_connection_pool(&world.environment, &mut cluster, default.connection_pool, None);
    cluster.alt_stat_name = Str::new_static("PassthroughCluster;");
    cluster.lb_policy = "CLUSTER_PROVIDED";
    cluster.r#type = "ORIGINAL_DST";
    cluster.typed_extension_protocol_options = None;
    let options = cluster.http();
    options.set_downstream_protocol();
    options.common_http_protocol_options = Some(CommonHttpProtocolOptions {
        idle_timeout: Some(Str::new_static("300s")),
        ..CommonHttpProtocolOptions::default()
    });
    cluster
}

/// Any host, by DNS, where the mesh lets unknown hosts out so.
pub(super) fn dynamic_dns(world: &World<'_, '_>, scope: &Scope) -> Option<Cluster> {
    if !scope.outbound_traffic.dynamic_dns {
        return None;
    }
    let mut cluster = Cluster {
        name: Str::new_static("AllowAnyDynamicDNSCluster"),
        alt_stat_name: Str::new_static("AllowAnyDynamicDNSCluster;"),
        cluster_type: Some(dynamic_forward_proxy("allow_any", Some(1024))),
        filters: vec![fixed::CLUSTER_METADATA_EXCHANGE.clone()],
        lb_policy: "CLUSTER_PROVIDED",
        ..Cluster::default()
    };
    pool::apply_connection_pool(&world.environment, &mut cluster, None, None);
    let policy = world.environment.config.outbound_traffic_policy.as_deref();
    if let Some(settings) = policy.and_then(|policy| policy.tls.as_deref()) {
        tls::apply_to_any_host(&world.environment, &mut cluster, settings);
    }
    if let Some(options) = &mut cluster.typed_extension_protocol_options {
        options.http.iter_mut().for_each(HttpProtocolOptions::complete);
    }
    Some(cluster)
}
