//! The HTTP connection manager and its filters.

use std::sync::Arc;

use serde::Serialize;

use super::{
    AccessLog, ConfigSource, ExtensionConfigSource, HttpRbac, Json, JwtAuthentication, Origin, Percent,
    RouteConfiguration, Str, message,
};

message! {
    /// `http_connection_manager.v3.HttpConnectionManager`
    HttpConnectionManager {
        access_log: Vec<AccessLog>,
        append_x_forwarded_port: bool,
        forward_client_cert_details: &'static str,
        generate_request_id: Option<bool>,
        http2_protocol_options: Option<Json>,
        http_filters: Arc<[HttpFilter]>,
        http_protocol_options: Option<Json>,
        max_request_headers_kb: Option<u32>,
        merge_slashes: bool,
        normalize_path: Option<bool>,
        path_with_escaped_slashes_action: &'static str,
        proxy_100_continue: bool,
        rds: Option<Rds>,
        request_id_extension: Option<Json>,
        route_config: Option<Box<RouteConfiguration>>,
        server_header_transformation: &'static str,
        server_name: Str,
        set_current_client_cert_details: Option<Json>,
        stat_prefix: Str,
        stream_idle_timeout: Str,
        tracing: Option<Arc<Tracing>>,
        upgrade_configs: Vec<Json>,
        use_remote_address: Option<bool>,
        xff_num_trusted_hops: u32,
    }
    /// `HttpConnectionManager.Tracing`
    Tracing {
        client_sampling: Option<Percent>,
        custom_tags: Vec<Json>,
        max_path_tag_length: Option<u32>,
        overall_sampling: Option<Percent>,
        provider: Option<Json>,
        random_sampling: Option<Percent>,
        spawn_upstream_span: Option<bool>,
    }
    /// `http_connection_manager.v3.Rds`
    Rds {
        config_source: ConfigSource,
        route_config_name: Str,
    }
    /// `http_connection_manager.v3.HttpFilter`
    HttpFilter {
        name: Str,
        typed_config: Option<HttpConfig>,
        config_discovery: Option<Box<ExtensionConfigSource>>,
        disabled: bool,
        origin: Origin,
    }
}

/// The configuration of an HTTP filter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "@type")]
pub enum HttpConfig {
    /// Authorization.
    #[serde(rename = "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC")]
    Rbac(Arc<HttpRbac>),
    /// Tokens.
    #[serde(rename = "type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication")]
    Jwt(Arc<JwtAuthentication>),
    /// Anything else, its type included.
    #[serde(untagged)]
    Json(Json),
}

impl HttpFilter {
    /// A filter whose configuration is of no interest here.
    pub fn json(name: impl Into<Str>, typed_config: Json) -> Self {
        Self {
            name: name.into(),
            typed_config: Some(HttpConfig::Json(typed_config)),
            ..Self::default()
        }
    }
}
