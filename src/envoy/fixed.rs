//! Pieces that never vary, each once.

/// Declares pieces that never vary.
macro_rules! fixed {
    ($($(#[$attribute:meta])* $name:ident = $json:tt;)*) => {$(
        $(#[$attribute])*
        pub static $name: std::sync::LazyLock<$crate::envoy::message::Json> =
            std::sync::LazyLock::new(|| std::sync::Arc::new(serde_json::json!($json)));
    )*};
}
pub(crate) use fixed;

fixed! {
    /// The agent beside the proxy, which hands out the workload's own certificate.
    SDS_GRPC = {
        "apiType": "GRPC",
        "grpcServices": [{"envoyGrpc": {"clusterName": "sds-grpc"}}],
        "setNodeOnFirstMessageOnly": true,
        "transportApiVersion": "V3",
    };
    /// Tells the endpoints of a retry apart from those tried before.
    PREVIOUS_HOSTS = {
        "name": "envoy.retry_host_predicates.previous_hosts",
        "typedConfig": {"@type": "type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate"},
    };
    /// Prefers, for a retry, other priorities than those tried before.
    PREVIOUS_PRIORITIES = {
        "name": "envoy.retry_priorities.previous_priorities",
        "typedConfig": {
            "@type": "type.googleapis.com/envoy.extensions.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig",
            "updateFrequency": 2,
        },
    };
    /// The names of headers as the application writes them: a `headerKeyFormat`.
    PRESERVE_CASE = {"statefulFormatter": {
        "name": "preserve_case",
        "typedConfig": {
            "@type": "type.googleapis.com/envoy.extensions.http.header_formatters.preserve_case.v3.PreserveCaseFormatterConfig",
        },
    }};
    /// Tells HTTP from other protocols by the first bytes.
    HTTP_INSPECTOR = {"@type": "type.googleapis.com/envoy.extensions.filters.listener.http_inspector.v3.HttpInspector"};
    /// Reads the SNI and the ALPN of a TLS connection.
    TLS_INSPECTOR = {
        "@type": "type.googleapis.com/envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector",
        "initialReadBufferSize": 512,
    };
    /// The same at gateways, which begin with few bytes.
    GATEWAY_TLS_INSPECTOR = {
        "@type": "type.googleapis.com/envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector",
        "initialReadBufferSize": 512,
    };
    /// Reads a PROXY header.
    PROXY_PROTOCOL = {"@type": "type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol"};
    /// The filter by which proxies tell each other who they are, on outbound connections.
    CLUSTER_METADATA_EXCHANGE = {
        "name": "istio.metadata_exchange",
        "typedConfig": {
            "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
            "typeUrl": "type.googleapis.com/envoy.tcp.metadataexchange.config.MetadataExchange",
            "value": {"enable_discovery": true, "protocol": "istio-peer-exchange"},
        },
    };
    /// The address behind the tunnel, told by the endpoint.
    TUNNEL_DESTINATION = {"kind": {"host": {}}, "name": "envoy.filters.listener.original_dst"};
    /// What istiod says of a cluster, passed through a tunnel.
    TUNNEL_CLUSTER_METADATA = {"kind": {"cluster": {}}, "name": "istio"};
    /// What istiod says of an endpoint, passed through a tunnel.
    TUNNEL_HOST_METADATA = {"kind": {"host": {}}, "name": "istio"};
    /// The resolver of clusters by DNS.
    DNS_RESOLVER = {
        "@type": "type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig",
        "udpMaxQueries": 100,
    };
}
