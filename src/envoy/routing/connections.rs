//! Connections that are passed on to one destination, or to one of several.

use std::sync::Arc;

use serde_json::json;

use super::compile::cluster_name;
use super::model::{Destination, VirtualRoutes, WeightedDestination};
use crate::envoy::World;
use crate::envoy::clusters::Named;
use crate::envoy::destinations::{Policy, hashes_source_address};
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::{Filter, Json, Str, TcpClusterWeight, TcpProxy, TcpWeightedClusters};
use crate::envoy::pods::PodGroup;
use crate::envoy::registry::{Resolution, Service, ServiceId};
use crate::envoy::scope::Scope;

/// Passes connections on, for one that asks.
#[derive(Clone, Copy, Debug)]
pub struct Forwarding<'f, 'm, 'a> {
    /// Everything that does not depend on the proxy.
    pub world: &'f World<'m, 'a>,
    /// The proxy.
    pub proxy: &'f PodGroup<'m, 'a>,
    /// What it is told of.
    pub scope: &'f Scope,
}

impl<'m, 'a> Forwarding<'_, 'm, 'a> {
    /// The `tcp_proxy` for the destinations of a rule, on a listener or server of a port.
    pub fn led(&self, routes: &VirtualRoutes<'_>, destinations: &[WeightedDestination], port: u32) -> TcpProxy {
        let mut tcp_proxy = TcpProxy::default();
        match destinations {
            [only] => {
                let destination = &only.destination;
                let known = self.scope.service(&destination.host);
                let known = known.map(|imported| self.known(imported.service));
                tcp_proxy.cluster = self.cluster(destination, port);
                tcp_proxy.stat_prefix = self.stat_prefix(&tcp_proxy.cluster, known, port, &destination.subset);
            }
            several => {
                let weighty = several
                    .iter()
                    .filter_map(|weighted| Some((weighted, weighted.weight.filter(|weight| *weight > 0)?)));
                let clusters = weighty.map(|(weighted, weight)| TcpClusterWeight {
                    name: self.cluster(&weighted.destination, port),
                    weight,
                });
                tcp_proxy.weighted_clusters = Some(TcpWeightedClusters {
                    clusters: clusters.collect(),
                });
                tcp_proxy.stat_prefix = Str::from(format!("{}.{}", routes.name, routes.namespace));
            }
        }
        if let Some(first) = destinations.first().map(|weighted| &weighted.destination)
            && let Some(service) = self.scope.service(&first.host)
        {
            let port = self.port(first, port);
            self.apply_policy(self.known(service.service), port, &first.subset, &mut tcp_proxy);
        }
        tcp_proxy
    }

    fn known(&self, id: ServiceId) -> &Service<'m, 'a> {
        &self.world.registry.services[id]
    }

    /// The cluster of a destination. Its service may be any that the proxy knows, so that an only port counts (catalogue:
    /// routes, 39).
    fn cluster(&self, destination: &Destination, listener_port: u32) -> Str {
        if let Some(cluster) = &destination.cluster {
            return cluster.clone();
        }
        let known = self
            .scope
            .service(&destination.host)
            .map(|imported| self.known(imported.service));
        let alias = known.filter(|service| service.resolution == Resolution::Alias);
        let host = alias
            .and_then(|service| service.external_name.as_ref())
            .unwrap_or(&destination.host);
        cluster_name(self.port(destination, listener_port), &destination.subset, host)
    }

    fn port(&self, destination: &Destination, listener_port: u32) -> u32 {
        let only = || {
            let imported = self.scope.service(&destination.host)?;
            let mut ports = imported.ports(self.known(imported.service));
            ports.next().filter(|_| ports.next().is_none()).map(|port| port.number)
        };
        destination.port.or_else(only).unwrap_or(listener_port)
    }

    /// The name in statistics: by the mesh's pattern, in which the port has no name, else that of the cluster (catalogue:
    /// inbound, 69).
    pub fn stat_prefix(&self, cluster: &Str, service: Option<&Service<'m, 'a>>, port: u32, subset: &str) -> Str {
        let pattern = self.world.environment.config.outbound_cluster_stat_name;
        let (Some(pattern), Some(service)) = (pattern.filter(|pattern| !pattern.is_empty()), service) else {
            return cluster.clone();
        };
        let name = Named {
            port,
            subset,
            target_port: Some(""),
            ..Named::of(service)
        };
        Str::from(name.fill(pattern.as_str()))
    }

    /// What the policy of a destination says of its connections.
    pub fn apply_policy(&self, service: &Service<'m, 'a>, port: u32, subset: &str, tcp_proxy: &mut TcpProxy) {
        let rule = self.world.destinations.rule_for(self.proxy, service);
        let of_subset = rule.and_then(|rule| rule.subset(subset));
        let policy = Policy::of(&self.world.environment, rule, port, of_subset);
        if hashes_source_address(&policy) {
            tcp_proxy.hash_policy = vec![Arc::new(json!({"sourceIp": {}}))];
        }
        let tcp = policy.connection_pool.and_then(|pool| pool.tcp.as_deref());
        if let Some(timeout) = tcp.and_then(|tcp| tcp.idle_timeout) {
            tcp_proxy.idle_timeout = envoy_duration(timeout.as_str());
        }
        if let Some(duration) = tcp.and_then(|tcp| tcp.max_connection_duration) {
            tcp_proxy.max_downstream_connection_duration = envoy_duration(duration.as_str());
        }
        if let Some(tunnel) = policy.tunnel {
            let host = tunnel.target_host.map_or("", |host| host.as_str());
            let port = tunnel.target_port.map_or(0, |port| port.value);
            let mut config = json!({"hostname": format!("{host}:{port}")});
            if tunnel.protocol.is_some_and(|protocol| protocol.as_str() == "POST") {
                config["usePost"] = true.into();
            }
            tcp_proxy.tunneling_config = Some(config.into());
        }
    }
}

/// The filter of MongoDB, which goes before `tcp_proxy`.
pub fn mongo_proxy(stat_prefix: &Str) -> Filter {
    let config: Json = Arc::new(json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.network.mongo_proxy.v3.MongoProxy",
        "statPrefix": stat_prefix,
    }));
    Filter::json("envoy.filters.network.mongo_proxy", config)
}
