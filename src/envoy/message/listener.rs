//! Listeners and network filters.

use std::sync::Arc;

use serde::Serialize;

use super::{
    Address, CidrRange, ConfigSource, Empty, HttpConnectionManager, Json, Metadata, NetworkRbac, Origin, Str,
    TransportSocket, message,
};

message! {
    /// `listener.v3.Listener`
    Listener {
        name: Str,
        address: Option<Address>,
        access_log: Vec<AccessLog>,
        bind_to_port: Option<bool>,
        connection_balance_config: Option<Json>,
        continue_on_listener_filters_timeout: bool,
        default_filter_chain: Option<Box<FilterChain>>,
        enable_reuse_port: Option<bool>,
        filter_chain_matcher: Option<Json>,
        filter_chains: Vec<FilterChain>,
        internal_listener: Option<Empty>,
        listener_filters: Vec<ListenerFilter>,
        listener_filters_timeout: Str,
        max_connections_to_accept_per_socket_event: Option<u32>,
        per_connection_buffer_limit_bytes: Option<u32>,
        tcp_backlog_size: Option<u32>,
        traffic_direction: &'static str,
        use_original_dst: Option<bool>,
        origin: Origin,
    }
    /// `listener.v3.ListenerFilter`
    ListenerFilter {
        name: &'static str,
        filter_disabled: Option<Json>,
        typed_config: Option<Json>,
    }
    /// `listener.v3.FilterChain`
    FilterChain {
        name: Str,
        filter_chain_match: Option<FilterChainMatch>,
        filters: Vec<Filter>,
        metadata: Option<Metadata>,
        transport_socket: Option<TransportSocket>,
        transport_socket_connect_timeout: Str,
        origin: Origin,
    }
    /// `listener.v3.FilterChainMatch`
    FilterChainMatch {
        destination_port: Option<u32>,
        prefix_ranges: Vec<CidrRange>,
        server_names: Vec<Str>,
        transport_protocol: &'static str,
        application_protocols: Vec<Str>,
    }
    /// `listener.v3.Filter`
    Filter {
        name: Str,
        typed_config: Option<NetworkConfig>,
        config_discovery: Option<Box<ExtensionConfigSource>>,
    }
    /// `core.v3.ExtensionConfigSource`
    ExtensionConfigSource {
        config_source: ConfigSource,
        type_urls: Vec<Str>,
    }
    /// `accesslog.v3.AccessLog`
    AccessLog {
        name: Str,
        filter: Option<Json>,
        typed_config: Option<Json>,
    }
    /// `tcp_proxy.v3.TcpProxy`
    TcpProxy {
        access_log: Vec<AccessLog>,
        cluster: Str,
        hash_policy: Vec<Json>,
        idle_timeout: Str,
        max_connect_attempts: Option<u32>,
        max_downstream_connection_duration: Str,
        stat_prefix: Str,
        tunneling_config: Option<Json>,
        weighted_clusters: Option<TcpWeightedClusters>,
    }
    /// `TcpProxy.WeightedCluster`
    TcpWeightedClusters {
        clusters: Vec<TcpClusterWeight>,
    }
    /// `TcpProxy.WeightedCluster.ClusterWeight`
    TcpClusterWeight {
        name: Str,
        weight: u32,
    }
}

/// The configuration of a network filter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "@type")]
pub enum NetworkConfig {
    /// HTTP.
    #[serde(
        rename = "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"
    )]
    Http(Box<HttpConnectionManager>),
    /// Bytes, passed on.
    #[serde(rename = "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy")]
    TcpProxy(Box<TcpProxy>),
    /// Authorization.
    #[serde(rename = "type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC")]
    Rbac(Arc<NetworkRbac>),
    /// Anything else, its type included.
    #[serde(untagged)]
    Json(Json),
}

impl Filter {
    /// Passes bytes on.
    pub fn tcp_proxy(tcp_proxy: TcpProxy) -> Self {
        Self {
            name: Str::new_static("envoy.filters.network.tcp_proxy"),
            typed_config: Some(NetworkConfig::TcpProxy(Box::new(tcp_proxy))),
            config_discovery: None,
        }
    }

    /// Speaks HTTP.
    pub fn http(manager: HttpConnectionManager) -> Self {
        Self {
            name: Str::new_static("envoy.filters.network.http_connection_manager"),
            typed_config: Some(NetworkConfig::Http(Box::new(manager))),
            config_discovery: None,
        }
    }

    /// A filter whose configuration is of no interest here.
    pub fn json(name: impl Into<Str>, typed_config: Json) -> Self {
        Self {
            name: name.into(),
            typed_config: Some(NetworkConfig::Json(typed_config)),
            config_discovery: None,
        }
    }
}
