//! Filters that never vary, each once.

use crate::envoy::fixed::fixed;

fixed! {
    /// Tells the peer at the other end of a TCP connection who this is.
    NETWORK_METADATA_EXCHANGE = {
        "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
        "typeUrl": "type.googleapis.com/envoy.tcp.metadataexchange.config.MetadataExchange",
        "value": {"enable_discovery": true, "protocol": "istio-peer-exchange"},
    };
    /// Finds out by headers who calls, and answers in kind.
    DOWNSTREAM_METADATA = {
        "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
        "typeUrl": "type.googleapis.com/io.istio.http.peer_metadata.Config",
        "value": {
            "downstream_discovery": [{"istio_headers": {}}, {"workload_discovery": {}}],
            "downstream_propagation": [{"istio_headers": {}}],
        },
    };
    /// Tells by headers who calls, and finds out who answers.
    UPSTREAM_METADATA = {
        "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
        "typeUrl": "type.googleapis.com/io.istio.http.peer_metadata.Config",
        "value": {
            "upstream_discovery": [{"istio_headers": {}}, {"workload_discovery": {}}],
            "upstream_propagation": [{"istio_headers": {}}],
        },
    };
    /// The same without headers for services outside of the mesh.
    UPSTREAM_METADATA_IN_MESH = {
        "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
        "typeUrl": "type.googleapis.com/io.istio.http.peer_metadata.Config",
        "value": {
            "upstream_discovery": [{"istio_headers": {}}, {"workload_discovery": {}}],
            "upstream_propagation": [{"istio_headers": {"skip_external_clusters": true}}],
        },
    };
    /// At a waypoint, who answers.
    WAYPOINT_UPSTREAM = {
        "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
        "typeUrl": "type.googleapis.com/io.istio.http.peer_metadata.Config",
        "value": {"upstream_discovery": [{"workload_discovery": {}}]},
    };
    /// Turns gRPC-Web into gRPC.
    GRPC_WEB = {"@type": "type.googleapis.com/envoy.extensions.filters.http.grpc_web.v3.GrpcWeb"};
    /// Counts the messages of gRPC.
    GRPC_STATS = {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.grpc_stats.v3.FilterConfig",
        "emitFilterState": true,
        "statsForAllMethods": false,
    };
    /// Offers the server Istio's own protocols in the handshake.
    ALPN = {
        "@type": "type.googleapis.com/istio.envoy.config.filter.http.alpn.v2alpha1.FilterConfig",
        "alpnOverride": [
            {"alpnOverride": ["istio-http/1.0", "istio", "http/1.0"]},
            {"alpnOverride": ["istio-http/1.1", "istio", "http/1.1"], "upstreamProtocol": "HTTP11"},
            {"alpnOverride": ["istio-h2", "istio", "h2"], "upstreamProtocol": "HTTP2"},
        ],
    };
    /// Delays and aborts, as routes say.
    FAULT = {"@type": "type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault"};
    /// Cross-origin requests, as routes say.
    CORS = {"@type": "type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors"};
    /// The last filter: routes.
    ROUTER = {"@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"};
    /// The last filter where Envoy shall not add headers of its own.
    QUIET_ROUTER = {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
        "suppressEnvoyHeaders": true,
    };
    /// Identifiers of requests, which also decide what is traced.
    REQUEST_ID = {"typedConfig": {
        "@type": "type.googleapis.com/envoy.extensions.request_id.uuid.v3.UuidRequestIdConfig",
        "useRequestIdForTraceSampling": true,
    }};
    /// Identifiers of requests alone.
    REQUEST_ID_ALONE = {"typedConfig": {
        "@type": "type.googleapis.com/envoy.extensions.request_id.uuid.v3.UuidRequestIdConfig",
        "useRequestIdForTraceSampling": false,
    }};
    /// What a sidecar tells of a client's certificate.
    SIDECAR_CERT_DETAILS = {"dns": true, "subject": true, "uri": true};
    /// What a gateway tells of a client's certificate.
    GATEWAY_CERT_DETAILS = {"cert": true, "dns": true, "subject": true, "uri": true};
    /// HTTP/1.1 as it comes.
    HTTP1 = {};
    /// HTTP/2 as it comes.
    HTTP2 = {};
    /// WebSockets are let through.
    WEBSOCKET = {"upgradeType": "websocket"};
}
