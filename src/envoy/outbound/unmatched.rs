//! What becomes of traffic that no service takes: the listener to which everything is redirected, and the last chain of the
//! others.

use super::Outbound;
use crate::envoy::filters::{HttpChain, RouteSource, TcpChain, Traffic};
use crate::envoy::message::{
    Address, Filter, FilterChain, FilterChainMatch, Json, Listener, ListenerFilter, RouteConfiguration, Str, TcpProxy,
    VirtualHost,
};
use crate::envoy::telemetry::Class;
use crate::mesh::Protocol;

/// The name of everything that serves names which no service has, where the proxy resolves them itself.
const DYNAMIC_DNS: &str = "allow_any_dynamic_dns";

impl Outbound<'_, '_, '_> {
    /// The cluster of traffic for destinations that the proxy does not know.
    pub(super) fn unmatched_cluster(&self) -> Str {
        let policy = &self.scope.outbound_traffic;
        match &policy.egress_proxy {
            Some(cluster) if policy.allow_any => cluster.clone(),
            _ if policy.allow_any => Str::new_static("PassthroughCluster"),
            _ => Str::new_static("BlackHoleCluster"),
        }
    }

    fn to_cluster(&self, cluster: Str) -> Vec<Filter> {
        let tcp_proxy = TcpProxy {
            stat_prefix: cluster.clone(),
            cluster,
            ..TcpProxy::default()
        };
        self.filters.tcp(TcpChain::new(Traffic::Outbound, None), tcp_proxy)
    }

    /// The chain for what no other takes.
    pub(super) fn unmatched_chain(&self) -> FilterChain {
        FilterChain {
            name: Str::new_static("PassthroughFilterChain"),
            filter_chain_match: Some(FilterChainMatch::default()),
            filters: self.to_cluster(self.unmatched_cluster()),
            ..FilterChain::default()
        }
    }

    /// The listener to which all outgoing connections are redirected; it hands them on by their destination.
    pub(super) fn virtual_outbound(&self) -> Listener {
        let port = self.world.environment.outbound_port();
        let blackhole = TcpProxy {
            cluster: Str::new_static("BlackHoleCluster"),
            stat_prefix: Str::new_static("BlackHoleCluster"),
            ..TcpProxy::default()
        };
        let mut filter_chains = vec![FilterChain {
            name: Str::new_static("virtualOutbound-blackhole"),
            filter_chain_match: Some(FilterChainMatch {
                destination_port: Some(port),
                ..FilterChainMatch::default()
            }),
            filters: self.filters.blackhole(Traffic::Outbound, blackhole),
            ..FilterChain::default()
        }];
        let dynamic = self.scope.outbound_traffic.dynamic_dns;
        filter_chains.extend(dynamic.then(|| self.dynamic_dns_chain()));
        filter_chains.push(FilterChain {
            name: Str::new_static("virtualOutbound-catchall-tcp"),
            filters: self.to_cluster(self.unmatched_cluster()),
            ..FilterChain::default()
        });
        let inspector = dynamic.then(|| ListenerFilter {
            name: "envoy.filters.listener.http_inspector",
            typed_config: Some(crate::envoy::fixed::HTTP_INSPECTOR.clone()),
            ..ListenerFilter::default()
        });
        Listener {
            name: Str::new_static("virtualOutbound"),
            access_log: self.filters.signals.listener_access_logs(Class::Outbound),
            address: Some(Address::socket("0.0.0.0", port)),
            filter_chains,
            listener_filters: inspector.into_iter().collect(),
            max_connections_to_accept_per_socket_event: Some(1),
            traffic_direction: "OUTBOUND",
            use_original_dst: Some(true),
            ..Listener::default()
        }
    }

    /// The virtual host for any name, which the proxy resolves itself.
    pub(super) fn dynamic_dns_host(&self) -> VirtualHost {
        self.unmatched_host(DYNAMIC_DNS, Str::new_static("AllowAnyDynamicDNSCluster"))
    }

    /// HTTP for any name.
    fn dynamic_dns_chain(&self) -> FilterChain {
        let host = self.dynamic_dns_host();
        let routes = RouteConfiguration {
            name: Str::new_static(DYNAMIC_DNS),
            virtual_hosts: vec![host],
            ..super::routes::settings()
        };
        let filters = self.filters.http(HttpChain {
            traffic: Traffic::Outbound,
            stat_prefix: Str::from(format!("outbound_virtualOutbound_{DYNAMIC_DNS}")),
            routes: RouteSource::Inline(Box::new(routes)),
            protocol: Protocol::Http,
            port: None,
            dns_cache: Some(any_dns_cache()),
        });
        FilterChain {
            name: Str::new_static("virtualOutbound-catchall-tcp-http"),
            filter_chain_match: Some(FilterChainMatch {
                application_protocols: vec![Str::new_static("http/1.1"), Str::new_static("h2c")],
                ..FilterChainMatch::default()
            }),
            filters,
            ..FilterChain::default()
        }
    }
}

/// The cache of names that no service has.
pub(super) fn any_dns_cache() -> Json {
    Json::new(serde_json::json!({
        "dnsLookupFamily": "V4_ONLY",
        "maxHosts": 1024,
        "name": "allow_any_dfp_dns_cache",
    }))
}
