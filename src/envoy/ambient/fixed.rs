//! Pieces of tunnels and waypoints that never vary, each once.

use crate::envoy::fixed::fixed;

fixed! {
    /// Reads the original destination of a connection inside the process.
    ORIGINAL_DST = {"@type": "type.googleapis.com/envoy.extensions.filters.listener.original_dst.v3.OriginalDst"};
    /// A tunnel leads to the address itself.
    BY_ADDRESS = {"upstreamPortOverride": 15008};
    /// A tunnel for the destination of the connection.
    TO_DESTINATION = {"hostname": "%DOWNSTREAM_LOCAL_ADDRESS%"};
    /// The inner one of two tunnels.
    TO_INNER = {
        "headersToAdd": [{
            "appendAction": "OVERWRITE_IF_EXISTS_OR_ADD",
            "header": {"key": "x-forwarded-network"},
        }],
        "hostname": "%FILTER_STATE(istio.double_hbone.hbone_target_address:PLAIN)%",
    };
    /// The outer one of two tunnels.
    TO_OUTER = {
        "headersToAdd": [{
            "appendAction": "OVERWRITE_IF_EXISTS_OR_ADD",
            "header": {"key": "x-istio-source", "value": "waypoint"},
        }],
        "hostname": "%FILTER_STATE(istio.double_hbone.hbone_target_address:PLAIN)%",
    };
    /// Hands the addresses of an endpoint on to the tunnels.
    ENDPOINT_METADATA = {
        "@type": "type.googleapis.com/envoy.extensions.filters.network.set_filter_state.v3.Config",
        "onNewConnection": [
            {
                "formatString": {"textFormatSource": {"inlineString": "%DYNAMIC_METADATA(envoy.filters.listener.original_dst:local)%"}},
                "objectKey": "envoy.filters.listener.original_dst.local_ip",
                "sharedWithUpstream": "TRANSITIVE",
            },
            {
                "factoryKey": "istio.hashable_string",
                "formatString": {"textFormatSource": {"inlineString": "%DYNAMIC_METADATA(istio:double_hbone:hbone_target_address)%"}},
                "objectKey": "istio.double_hbone.hbone_target_address",
                "sharedWithUpstream": "TRANSITIVE",
            },
        ],
    };
    /// Keeps the address that a client asked for.
    CONNECTION_AUTHORITY = {
        "@type": "type.googleapis.com/envoy.extensions.filters.network.set_filter_state.v3.Config",
        "onNewConnection": [{
            "formatString": {"textFormatSource": {"inlineString": "%FILTER_STATE(envoy.filters.listener.original_dst.local_ip:PLAIN)%"}},
            "objectKey": "envoy.filters.listener.original_dst.local_ip",
            "sharedWithUpstream": "ONCE",
        }],
    };
    /// Finds out who opened a tunnel.
    DOWNSTREAM_PEER = {
        "@type": "type.googleapis.com/udpa.type.v1.TypedStruct",
        "typeUrl": "type.googleapis.com/io.istio.http.peer_metadata.Config",
        "value": {"downstream_discovery": [{"workload_discovery": {}}], "shared_with_upstream": true},
    };
    /// Keeps what a tunnel is for, and who is at its ends.
    TUNNEL_AUTHORITY = {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.set_filter_state.v3.Config",
        "onRequestHeaders": [
            {
                "formatString": {"textFormatSource": {"inlineString": "%REQ(:AUTHORITY)%"}},
                "objectKey": "envoy.filters.listener.original_dst.local_ip",
                "sharedWithUpstream": "ONCE",
            },
            {
                "factoryKey": "istio.hashable_string",
                "formatString": {"textFormatSource": {"inlineString": "%REQ(:AUTHORITY)%"}},
                "objectKey": "io.istio.connect_authority",
                "sharedWithUpstream": "ONCE",
            },
            {
                "formatString": {"textFormatSource": {"inlineString": "%DOWNSTREAM_REMOTE_ADDRESS%"}},
                "objectKey": "envoy.filters.listener.original_dst.remote_ip",
                "sharedWithUpstream": "ONCE",
            },
            {
                "factoryKey": "istio.hashable_string",
                "formatString": {"textFormatSource": {"inlineString": "%DOWNSTREAM_PEER_URI_SAN%"}},
                "objectKey": "io.istio.peer_principal",
                "sharedWithUpstream": "ONCE",
            },
            {
                "factoryKey": "istio.hashable_string",
                "formatString": {"textFormatSource": {"inlineString": "%DOWNSTREAM_LOCAL_URI_SAN%"}},
                "objectKey": "io.istio.local_principal",
                "sharedWithUpstream": "ONCE",
            },
        ],
    };
    /// The router of an HTTP chain.
    ROUTER = {"@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"};
    /// Takes CONNECT.
    TUNNEL_HTTP2 = {
        "allowConnect": true,
        "connectionKeepalive": {"interval": "10s", "timeout": "20s"},
        "maxConcurrentStreams": 100,
    };
    /// Requests become tunnels.
    CONNECT = {"upgradeType": "CONNECT"};
    /// The connections of a tunnel are handed on.
    CONNECT_ENDS = {"connectConfig": {}, "upgradeType": "CONNECT"};
    /// What is told of a client's certificate.
    CERTIFICATE_DETAILS = {"dns": true, "subject": true, "uri": true};
    /// Connections are shared evenly among threads.
    EXACT_BALANCE = {"exactBalance": {}};
    /// Matches requests that open tunnels.
    CONNECT_MATCHER = {};
}
