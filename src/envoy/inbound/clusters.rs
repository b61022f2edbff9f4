//! The clusters that lead to the application.

use super::listener::{PASSTHROUGH, cluster_name};
use super::ports::{InboundPort, LocalEndpoint};
use crate::envoy::World;
use crate::envoy::clusters::{Named, apply_connection_pool, original_destination, preserve_header_case};
use crate::envoy::destinations::{MergedRule, Policy};
use crate::envoy::filters::Filters;
use crate::envoy::fixed::fixed;
use crate::envoy::message::{
    Address, Cluster, ClusterLoadAssignment, CommonLbConfig, Endpoint, HttpProtocolOptions, IstioMetadata, LbEndpoint,
    LocalityLbEndpoints, Metadata, ServiceMetadata, Str,
};
use crate::envoy::pods::PodGroup;
use crate::mesh::Protocol;

fixed! {
    /// Connections to the application come from an address that is not redirected again.
    FROM_PROXY = {"sourceAddress": {"address": "127.0.0.6", "portValue": 0}};
}

/// The cluster of ports that nothing names.
pub(super) fn passthrough(filters: &Filters<'_, '_, '_>) -> Cluster {
    let mut cluster = Cluster {
        name: PASSTHROUGH,
        upstream_bind_config: Some(FROM_PROXY.clone()),
        ..original_destination(filters.world)
    };
    if filters.settings.headers.preserve_case {
        preserve_header_case(&mut cluster, Protocol::Auto);
    }
    cluster
}

/// The cluster of a port (catalogue: Inbound, 62 to 68).
pub(super) fn of_port<'m, 'a>(filters: &Filters<'_, 'm, 'a>, port: &InboundPort<'m, 'a>) -> Cluster {
    let (world, proxy) = (filters.world, filters.proxy);
    let service = port.services.first().map(|id| &world.registry.services[*id]);
    let rule = service.and_then(|service| world.destinations.inbound_rule(service));
    let rule = rule.filter(|rule| rule.traffic_policy.is_some());
    let policy = Policy::of(&world.environment, rule, port.service_port, None);
    let mut cluster = Cluster {
        name: cluster_name(port.number),
        alt_stat_name: stat_name(world, port),
        common_lb_config: Some(CommonLbConfig::default()),
        metadata: metadata(world, port, rule),
        origin: port.origin.clone(),
        ..Cluster::default()
    };
    if let Some(rule) = rule {
        rule.origin.0.iter().for_each(|span| cluster.origin.add(*span));
    }
    locate(world, proxy, port, &mut cluster);
    match port.protocol {
        Protocol::Http2 | Protocol::Grpc | Protocol::GrpcWeb => cluster.http().set_http2(),
        Protocol::Auto => cluster.http().set_downstream_protocol(),
        _ => {}
    }
    let pool = port.connection_pool.or(policy.connection_pool);
    apply_connection_pool(&world.environment, &mut cluster, pool, None);
    if let Some(options) = &mut cluster.typed_extension_protocol_options {
        options.http.iter_mut().for_each(HttpProtocolOptions::complete);
    }
    if filters.settings.headers.preserve_case {
        preserve_header_case(&mut cluster, port.protocol);
    }
    cluster
}

/// `inboundClusterStatName`, else the name.
fn stat_name(world: &World<'_, '_>, port: &InboundPort<'_, '_>) -> Str {
    let target = port.number.to_string();
    let name = named(world, port, Some(&target));
    Str::from(name.map_or_else(|| format!("{};", cluster_name(port.number)), |name| format!("{name};")))
}

/// The mesh's pattern for a port, filled in.
pub(super) fn named(world: &World<'_, '_>, port: &InboundPort<'_, '_>, target_port: Option<&str>) -> Option<String> {
    let pattern = world.environment.config.inbound_cluster_stat_name;
    let pattern = pattern.filter(|pattern| !pattern.is_empty())?;
    let service = port.services.first().map(|id| &world.registry.services[*id]);
    let name = Named {
        port: port.service_port,
        port_name: &port.port_name,
        target_port,
        ..service.map(Named::of).unwrap_or_default()
    };
    Some(name.fill(pattern.as_str()))
}

fn metadata(world: &World<'_, '_>, port: &InboundPort<'_, '_>, rule: Option<&MergedRule<'_, '_>>) -> Option<Metadata> {
    let services = port.services.iter().map(|id| &world.registry.services[*id]);
    let services: Vec<ServiceMetadata> = services
        .map(|service| ServiceMetadata {
            host: service.host.clone(),
            name: service.name.clone(),
            namespace: Str::new(service.namespace),
        })
        .collect();
    let config = rule.map(|rule| rule.credit.clone()).unwrap_or_default();
    (!services.is_empty() || !config.is_empty()).then(|| {
        Metadata::istio(IstioMetadata {
            config,
            services,
            ..IstioMetadata::default()
        })
    })
}

/// Where the application is, and from where connections come.
fn locate(world: &World<'_, '_>, proxy: &PodGroup<'_, '_>, port: &InboundPort<'_, '_>, cluster: &mut Cluster) {
    let address = match &port.endpoint {
        LocalEndpoint::Original => {
            cluster.r#type = "ORIGINAL_DST";
            cluster.lb_policy = "CLUSTER_PROVIDED";
            cluster.cleanup_interval = Str::new_static("9223372035s");
            None
        }
        LocalEndpoint::Loopback(host, number) => Some(Address::socket(host.clone(), *number)),
        LocalEndpoint::Pod(number) => Some(Address::socket(proxy.address(0, world.mesh), *number)),
        LocalEndpoint::Socket(path) => Some(Address::pipe(path.clone())),
    };
    if !matches!(port.endpoint, LocalEndpoint::Loopback(..)) {
        cluster.upstream_bind_config = Some(FROM_PROXY.clone());
    }
    if let Some(address) = address {
        cluster.r#type = "STATIC";
        cluster.load_assignment = Some(assignment(&cluster.name, address));
    }
}

fn assignment(cluster: &Str, address: Address) -> ClusterLoadAssignment {
    let endpoint = LbEndpoint {
        endpoint: Endpoint { address },
        ..LbEndpoint::default()
    };
    ClusterLoadAssignment {
        cluster_name: cluster.clone(),
        endpoints: vec![LocalityLbEndpoints {
            lb_endpoints: vec![endpoint],
            ..LocalityLbEndpoints::default()
        }],
        ..ClusterLoadAssignment::default()
    }
}
