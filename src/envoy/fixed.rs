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
}
