//! The cluster through which proxies open HBONE tunnels.

use std::sync::Arc;

use serde_json::json;

use super::pool;
use crate::envoy::World;
use crate::envoy::message::{
    CertificateValidationContext, Cluster, CombinedValidationContext, CommonHttpProtocolOptions, CommonTlsContext,
    Json, SdsSecretConfig, Str, TlsParameters, TransportSocket, UpstreamTlsContext,
};

/// Where tunnels arrive.
pub const HBONE_PORT: u32 = 15008;

/// `connect_originate`: the address that the endpoint's metadata give, by HTTP/2 over mTLS.
pub fn connect_originate(world: &World<'_, '_>) -> Cluster {
    let mut cluster = Cluster::default();
    pool::apply_connection_pool(&world.environment, &mut cluster, None, None);
    let options = cluster.http();
    options.set_http2();
    options.common_http_protocol_options = Some(CommonHttpProtocolOptions {
        idle_timeout: Some(idle_timeout(world)),
        ..CommonHttpProtocolOptions::default()
    });
    let explicit = options.explicit_http_config.as_mut();
    if let Some(http2) = explicit.and_then(|explicit| explicit.http2_protocol_options.as_mut()) {
        http2.allow_connect = true;
    }
    Cluster {
        name: Str::new_static("connect_originate"),
        alt_stat_name: Str::new_static("connect_originate;"),
        cleanup_interval: Str::new_static("60s"),
        lb_policy: "CLUSTER_PROVIDED",
        original_dst_lb_config: Some(Arc::new(json!({
            "metadataKey": {"key": "envoy.filters.listener.original_dst", "path": [{"key": "waypoint"}]},
            "upstreamPortOverride": HBONE_PORT,
        }))),
        r#type: "ORIGINAL_DST",
        transport_socket: Some(socket(world)),
        ..cluster
    }
}

fn idle_timeout(world: &World<'_, '_>) -> Str {
    let written = world.environment.config.hbone_idle_timeout;
    written.map_or(Str::new_static("3600s"), |timeout| {
        crate::envoy::environment::envoy_duration(timeout.as_str())
    })
}

/// mTLS with any identity of the mesh.
fn socket(world: &World<'_, '_>) -> TransportSocket {
    let accepted = world.environment.trust_domains().map(|domain| -> Json {
        Arc::new(json!({"matcher": {"prefix": format!("spiffe://{domain}/")}, "sanType": "URI"}))
    });
    let context = UpstreamTlsContext {
        common_tls_context: CommonTlsContext {
            alpn_protocols: vec![Str::new_static("h2")],
            combined_validation_context: Some(CombinedValidationContext {
                default_validation_context: CertificateValidationContext {
                    match_typed_subject_alt_names: accepted.collect(),
                    ..CertificateValidationContext::default()
                },
                validation_context_sds_secret_config: SdsSecretConfig::agent(Str::new_static("ROOTCA")),
            }),
            tls_certificate_sds_secret_configs: vec![SdsSecretConfig::agent(Str::new_static("default"))],
            tls_params: Some(TlsParameters {
                tls_maximum_protocol_version: "TLSv1_3",
                tls_minimum_protocol_version: "TLSv1_3",
                ..TlsParameters::default()
            }),
            ..CommonTlsContext::default()
        },
        ..UpstreamTlsContext::default()
    };
    TransportSocket {
        name: Str::new_static("tls"),
        ..TransportSocket::upstream(context)
    }
}
