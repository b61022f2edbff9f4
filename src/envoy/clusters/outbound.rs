//! The cluster of a port of a service, or of a subset of it.

use std::sync::Arc;

use serde_json::json;

use super::{Destination, balancer, pool, tls};
use crate::envoy::World;
use crate::envoy::endpoints::{self, Preference};
use crate::envoy::fixed;
use crate::envoy::message::{
    Cluster, CommonLbConfig, ConfigSource, EdsClusterConfig, Extension, FilterMetadata, IstioMetadata, Metadata,
    Origin, Percent, ServiceMetadata, Str,
};
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::registry::Resolution;
use crate::mesh::{Protocol, Provider};
use crate::model::istio::{ServiceEntry, ServicePort};

/// The cluster; `None` where Envoy would have to ask DNS for nothing.
pub fn cluster<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    destination: &Destination<'_, 'm, 'a>,
) -> Option<Cluster> {
    let mut cluster = Cluster {
        name: destination.name(),
        alt_stat_name: super::stat_name(world, destination),
        filters: vec![fixed::CLUSTER_METADATA_EXCHANGE.clone()],
        metadata: Some(metadata(world, destination)),
        origin: origin(destination),
        ..Cluster::default()
    };
    discover(world, proxy, destination, &mut cluster)?;
    apply_policy(world, proxy, destination, &mut cluster);
    if let Some(options) = &mut cluster.typed_extension_protocol_options {
        options
            .http
            .iter_mut()
            .for_each(crate::envoy::message::HttpProtocolOptions::complete);
    }
    Some(cluster)
}

/// The type, and with it where the endpoints come from.
fn discover<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    destination: &Destination<'_, 'm, 'a>,
    cluster: &mut Cluster,
) -> Option<()> {
    let service = destination.service;
    if service.resolution == Resolution::DynamicDns {
        cluster.cluster_type = Some(dynamic_forward_proxy(&service.host, None));
        cluster.lb_policy = "CLUSTER_PROVIDED";
        return Some(());
    }
    cluster.common_lb_config = Some(CommonLbConfig {
        healthy_panic_threshold: Some(Percent::default()),
        ..CommonLbConfig::default()
    });
    let kind = kind(proxy, destination);
    cluster.r#type = kind;
    match kind {
        "EDS" => {
            cluster.eds_cluster_config = Some(EdsClusterConfig {
                eds_config: ConfigSource::ads(),
                service_name: cluster.name.clone(),
            });
        }
        "STRICT_DNS" | "LOGICAL_DNS" => by_dns(world, proxy, destination, cluster)?,
        _ => {
            let target = target_override(world, destination);
            cluster.original_dst_lb_config = target.map(|port| Arc::new(json!({"upstreamPortOverride": port})));
        }
    }
    Some(())
}

/// A subset follows its host, unless it leaves the choice to the application itself.
fn kind<'m, 'a>(proxy: &PodGroup<'m, 'a>, destination: &Destination<'_, 'm, 'a>) -> &'static str {
    let of_subset = destination.subset.and_then(|subset| subset.traffic_policy.as_deref());
    let of_subset = of_subset.and_then(|policy| policy.load_balancer.as_deref());
    let host_passes = destination.subset.is_some() && balancer::passes_through(destination.host_policy.load_balancer);
    if host_passes || balancer::passes_through(of_subset) {
        return "ORIGINAL_DST";
    }
    match destination.service.resolution {
        Resolution::Dns => "STRICT_DNS",
        Resolution::DnsRoundRobin | Resolution::DnsRace => "LOGICAL_DNS",
        Resolution::Passthrough if proxy.role == Some(Role::Sidecar) => "ORIGINAL_DST",
        _ => "EDS",
    }
}

/// The port that an entry without resolution sends to.
fn target_override<'m, 'a>(world: &World<'m, 'a>, destination: &Destination<'_, 'm, 'a>) -> Option<i64> {
    let Provider::ServiceEntry(id) = destination.service.provider else {
        return None;
    };
    let entry = world.mesh.object::<ServiceEntry<'a>>(id)?;
    let number = i64::from(destination.port().number);
    let has_number = |port: &&ServicePort<'a>| port.number.is_some_and(|own| own.value == number);
    let target = entry.body.ports.iter().find(has_number)?.target_port?;
    (target.value > 0).then_some(target.value)
}

fn by_dns<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    destination: &Destination<'_, 'm, 'a>,
    cluster: &mut Cluster,
) -> Option<()> {
    let assignment = endpoints::assignment(world, proxy, destination);
    if assignment.endpoints.is_empty() {
        return None;
    }
    let refresh = world.environment.config.dns_refresh_rate;
    cluster.load_assignment = Some(assignment);
    cluster.dns_lookup_family = match destination.service.resolution {
        Resolution::DnsRace => "ALL",
        _ => "V4_ONLY",
    };
    cluster.dns_jitter = Str::new_static("0.100s");
    cluster.dns_refresh_rate = refresh.map_or(Str::new_static("60s"), |rate| {
        crate::envoy::environment::envoy_duration(rate.as_str())
    });
    cluster.respect_dns_ttl = true;
    cluster.typed_dns_resolver_config = Some(Extension {
        name: Str::new_static("envoy.network.dns_resolver.cares"),
        typed_config: Some(fixed::DNS_RESOLVER.clone()),
    });
    Some(())
}

/// A cluster that asks DNS for the host of each request.
pub(super) fn dynamic_forward_proxy(name: &str, hosts: Option<u32>) -> Extension {
    let mut cache = json!({"dnsLookupFamily": "V4_ONLY", "name": format!("{name}_dfp_dns_cache")});
    if let (Some(hosts), Some(cache)) = (hosts, cache.as_object_mut()) {
        cache.insert("maxHosts".into(), hosts.into());
    }
    Extension {
        name: Str::new_static("envoy.clusters.dynamic_forward_proxy"),
        typed_config: Some(Arc::new(json!({
            "@type": "type.googleapis.com/envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig",
            "dnsCacheConfig": cache,
        }))),
    }
}

fn apply_policy<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    destination: &Destination<'_, 'm, 'a>,
    cluster: &mut Cluster,
) {
    let policy = &destination.policy;
    if !destination.by_sni {
        choose_protocol(world, proxy, destination, cluster);
    }
    pool::apply_connection_pool(&world.environment, cluster, policy.connection_pool, policy.retry_budget);
    if destination.service.resolution != Resolution::DynamicDns {
        pool::apply_outlier_detection(cluster, policy.outlier_detection);
        let preference = Preference::of(&world.environment, destination.service, policy);
        balancer::apply_load_balancer(cluster, policy, &preference);
        keep_sessions(destination, cluster);
    }
    if !destination.by_sni {
        tls::apply_transport(world, proxy, cluster, destination);
    }
}

/// The protocol towards the endpoints (catalogue: cluster fields, 24 and 25).
fn choose_protocol(
    world: &World<'_, '_>,
    proxy: &PodGroup<'_, '_>,
    destination: &Destination<'_, '_, '_>,
    cluster: &mut Cluster,
) {
    let (protocol, pool) = (destination.port().protocol, destination.policy.connection_pool);
    let upgrade = pool
        .and_then(|pool| pool.http.as_deref())
        .and_then(|http| http.h2_upgrade_policy);
    let by_mesh = world
        .environment
        .config
        .h2_upgrade_policy
        .is_some_and(|policy| policy.as_str() == "UPGRADE");
    let upgrades = match upgrade.map_or("DEFAULT", |policy| policy.as_str()) {
        "UPGRADE" => true,
        "DO_NOT_UPGRADE" => false,
        _ => by_mesh && protocol == Protocol::Http,
    };
    match protocol {
        _ if upgrades => cluster.http().set_http2(),
        Protocol::Http2 | Protocol::Grpc | Protocol::GrpcWeb => cluster.http().set_http2(),
        Protocol::Auto if proxy.role == Some(Role::Sidecar) => cluster.http().set_downstream_protocol(),
        _ => {}
    }
}

/// Sessions that persist may go to endpoints that are about to leave (catalogue: cluster fields, 36).
fn keep_sessions(destination: &Destination<'_, '_, '_>, cluster: &mut Cluster) {
    if destination.subset.is_none() && destination.service.keeps_sessions() {
        let common = cluster.common_lb_config.get_or_insert_default();
        common.override_host_status = Some(Arc::new(
            json!({"statuses": ["HEALTHY", "DRAINING", "UNKNOWN", "DEGRADED"]}),
        ));
    }
}

fn metadata(world: &World<'_, '_>, destination: &Destination<'_, '_, '_>) -> Metadata {
    let (service, rule) = (destination.service, destination.rule);
    let mode = destination.policy.tls.and_then(|tls| tls.mode);
    let by_backend = rule.is_some_and(|rule| rule.backend_tls(destination.port().number).is_some());
    let originates = by_backend || mode.is_some_and(|mode| matches!(mode.as_str(), "SIMPLE" | "MUTUAL"));
    let named = (service.resolution != Resolution::DynamicDns).then(|| ServiceMetadata {
        host: service.host.clone(),
        name: service.name.clone(),
        namespace: Str::new(service.namespace),
    });
    Metadata {
        filter_metadata: Box::new(FilterMetadata {
            istio: Some(IstioMetadata {
                config: rule.map_or(Str::default(), |rule| rule.credit.clone()),
                subset: Str::new(destination.subset_name()),
                external: service.external && destination.subset.is_none(),
                disable_mx: world.environment.ambient() && destination.is_behind_ztunnel(),
                alpn_override: if originates {
                    Str::new_static("false")
                } else {
                    Str::default()
                },
                services: named.into_iter().collect(),
                ..IstioMetadata::default()
            }),
            ..FilterMetadata::default()
        }),
    }
}

fn origin(destination: &Destination<'_, '_, '_>) -> Origin {
    let mut origin = Origin::of(destination.service.span);
    for span in destination.rule.iter().flat_map(|rule| &rule.origin.0) {
        origin.add(*span);
    }
    origin
}
