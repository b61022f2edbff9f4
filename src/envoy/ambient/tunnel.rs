//! Tunnels: the listeners inside the process that open them, their clusters, and endpoints behind them.

use std::sync::Arc;

use serde_json::json;

use super::fixed;
use crate::envoy::World;
use crate::envoy::clusters::connect_originate;
use crate::envoy::environment::Environment;
use crate::envoy::message::{
    CertificateValidationContext, Cluster, CombinedValidationContext, CommonHttpProtocolOptions, CommonTlsContext,
    Empty, Filter, FilterChain, Json, Listener, ListenerFilter, SdsSecretConfig, Str, TcpProxy, TlsParameters,
    TransportConfig, TransportSocket, UpstreamTlsContext,
};

/// The listener that opens tunnels, and the cluster that they run through.
pub(super) const ORIGINATE: &str = "connect_originate";
/// The outer one of two tunnels.
pub(super) const OUTER: &str = "outer_connect_originate";
/// The inner one of two tunnels.
pub(super) const INNER: &str = "inner_connect_originate";

/// The listener that opens a tunnel for each connection.
pub(super) fn listener() -> Listener {
    opening(
        ORIGINATE,
        &fixed::TO_DESTINATION,
        Vec::new(),
        vec![original_destination()],
    )
}

/// The listener that opens the inner one of two tunnels, to another network.
pub(super) fn inner_listener() -> Listener {
    let metadata = Filter::json("propagate_endpoint_metadata", fixed::ENDPOINT_METADATA.clone());
    opening(INNER, &fixed::TO_INNER, vec![metadata], Vec::new())
}

/// The listener that opens the outer one of two tunnels.
pub(super) fn outer_listener() -> Listener {
    opening(OUTER, &fixed::TO_OUTER, Vec::new(), vec![original_destination()])
}

/// Reads the original destination of a connection.
pub(super) fn original_destination() -> ListenerFilter {
    ListenerFilter {
        name: "envoy.filters.listener.original_dst",
        typed_config: Some(fixed::ORIGINAL_DST.clone()),
        ..ListenerFilter::default()
    }
}

fn opening(
    name: &'static str,
    tunnel: &Json,
    mut filters: Vec<Filter>,
    listener_filters: Vec<ListenerFilter>,
) -> Listener {
    filters.push(Filter::tcp_proxy(TcpProxy {
        cluster: Str::new_static(name),
        stat_prefix: Str::new_static(name),
        tunneling_config: Some(tunnel.clone()),
        ..TcpProxy::default()
    }));
    Listener {
        name: Str::new_static(name),
        filter_chains: vec![FilterChain {
            filters,
            ..FilterChain::default()
        }],
        internal_listener: Some(Empty {}),
        listener_filters,
        use_original_dst: Some(false),
        ..Listener::default()
    }
}

/// The cluster of a waypoint's tunnels. It accepts the identities of its own namespace besides those of its trust domains.
pub(super) fn cluster(world: &World<'_, '_>, namespace: &str) -> Cluster {
    Cluster {
        transport_socket: Some(socket(identities(&world.environment, Some(namespace)))),
        ..connect_originate(world)
    }
}

/// The cluster of outer tunnels.
pub(super) fn outer_cluster(world: &World<'_, '_>) -> Cluster {
    let mut cluster = Cluster {
        name: Str::new_static(OUTER),
        alt_stat_name: Str::from(format!("{OUTER};")),
        original_dst_lb_config: Some(fixed::BY_ADDRESS.clone()),
        ..connect_originate(world)
    };
    tunnelling(&mut cluster, Some(1));
    cluster
}

/// A cluster speaks HTTP/2 and asks for tunnels.
pub(super) fn tunnelling(cluster: &mut Cluster, max_requests_per_connection: Option<u32>) {
    let options = cluster.http();
    options.set_http2();
    if let Some(explicit) = &mut options.explicit_http_config {
        let http2 = explicit.http2_protocol_options.get_or_insert_default();
        http2.allow_connect = true;
    }
    options.common_http_protocol_options = Some(CommonHttpProtocolOptions {
        idle_timeout: Some(Str::new_static("3600s")),
        max_requests_per_connection,
        ..CommonHttpProtocolOptions::default()
    });
}

/// The identities that may be at the other end of a tunnel, by their beginnings.
pub(super) fn identities(environment: &Environment<'_, '_>, namespace: Option<&str>) -> Vec<Json> {
    let domains = environment.trust_domains().map(|domain| format!("spiffe://{domain}/"));
    let own = namespace.map(|namespace| format!("spiffe://{}/ns/{namespace}/sa/", environment.trust_domain));
    let beginnings = domains.chain(own);
    beginnings
        .map(|prefix| Arc::new(json!({"matcher": {"prefix": prefix}, "sanType": "URI"})))
        .collect()
}

/// The mesh's own TLS around tunnels.
pub(super) fn socket(identities: Vec<Json>) -> TransportSocket {
    TransportSocket {
        name: Str::new_static("tls"),
        typed_config: Some(TransportConfig::Upstream(Box::new(UpstreamTlsContext {
            common_tls_context: common_context(identities),
            sni: Str::default(),
        }))),
    }
}

/// What both ends of tunnels have in common.
pub(super) fn common_context(identities: Vec<Json>) -> CommonTlsContext {
    CommonTlsContext {
        alpn_protocols: vec![Str::new_static("h2")],
        combined_validation_context: Some(CombinedValidationContext {
            default_validation_context: CertificateValidationContext {
                match_typed_subject_alt_names: identities,
                ..CertificateValidationContext::default()
            },
            validation_context_sds_secret_config: SdsSecretConfig::agent("ROOTCA"),
        }),
        tls_certificate_sds_secret_configs: vec![SdsSecretConfig::agent("default")],
        tls_params: Some(TlsParameters {
            tls_maximum_protocol_version: "TLSv1_3",
            tls_minimum_protocol_version: "TLSv1_3",
            ..TlsParameters::default()
        }),
        ..CommonTlsContext::default()
    }
}
