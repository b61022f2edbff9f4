//! HTTP connection managers.

use serde_json::{Value, json};

use super::{Filters, Traffic, fixed, stat_prefix, tracing};
use crate::envoy::fixed::PRESERVE_CASE;
use crate::envoy::message::{
    ConfigSource, Filter, HttpConnectionManager, HttpFilter, Json, Rds, RouteConfiguration, Str,
};
use crate::envoy::proxy_settings::{ClientCertDetails, Server};
use crate::mesh::Protocol;

/// An HTTP chain.
#[derive(Debug)]
pub struct HttpChain {
    /// Which way it goes.
    pub traffic: Traffic,
    /// Its name in statistics, such as `outbound_0.0.0.0_80`, without the semicolon.
    pub stat_prefix: Str,
    /// Where its routes are.
    pub routes: RouteSource,
    /// The protocol of the port that made it: HTTP/2 and gRPC-Web bring something of their own.
    pub protocol: Protocol,
    /// The port by which extensions choose; passthrough chains have none.
    pub port: Option<u32>,
    /// The `dnsCacheConfig` of a chain that resolves the host of each request.
    pub dns_cache: Option<Json>,
}

/// Where a chain's routes are.
#[derive(Debug)]
pub enum RouteSource {
    /// They are asked for by name.
    Discovered(Str),
    /// They come with the chain.
    Inline(Box<RouteConfiguration>),
}

impl Filters<'_, '_, '_> {
    /// The network filters of an HTTP chain.
    pub fn http(&self, chain: HttpChain) -> Vec<Filter> {
        let mut filters = Vec::with_capacity(2);
        if chain.traffic == Traffic::Inbound {
            filters.push(Filter::json(
                "istio.metadata_exchange",
                fixed::NETWORK_METADATA_EXCHANGE.clone(),
            ));
        }
        let extensions = self.plugins.network(chain.traffic.class(), chain.port);
        filters.extend(extensions.authentication);
        filters.extend(extensions.authorization);
        filters.extend(extensions.statistics);
        filters.extend(extensions.unspecified);
        filters.push(Filter::http(self.http_connection_manager(chain)));
        filters
    }

    /// The HTTP connection manager of a chain.
    pub fn http_connection_manager(&self, chain: HttpChain) -> HttpConnectionManager {
        let mut manager = HttpConnectionManager {
            access_log: self.signals.http_access_logs(chain.traffic.class()),
            generate_request_id: (!self.settings.headers.request_id).then_some(false),
            http_filters: self.http_filters(&chain).into(),
            http_protocol_options: self.http1_options(chain.traffic),
            proxy_100_continue: true,
            request_id_extension: Some(tracing::request_id(self, chain.traffic.class())),
            stat_prefix: stat_prefix(&chain.stat_prefix),
            stream_idle_timeout: Str::new_static("0s"),
            tracing: self.tracing(chain.traffic.class()),
            upgrade_configs: vec![fixed::WEBSOCKET.clone()],
            use_remote_address: Some(chain.traffic == Traffic::Gateway),
            append_x_forwarded_port: self.settings.headers.forwarded_port,
            ..HttpConnectionManager::default()
        };
        self.normalize(&mut manager);
        self.name_server(&mut manager, chain.traffic);
        self.tell_certificate(&mut manager, chain.traffic);
        if chain.traffic == Traffic::Inbound
            && matches!(chain.protocol, Protocol::Http2 | Protocol::Grpc | Protocol::GrpcWeb)
        {
            manager.http2_protocol_options = Some(fixed::HTTP2.clone());
        }
        match chain.routes {
            RouteSource::Discovered(name) => {
                manager.rds = Some(Rds {
                    config_source: ConfigSource::ads(),
                    route_config_name: name,
                });
            }
            RouteSource::Inline(routes) => manager.route_config = Some(routes),
        }
        manager
    }

    fn http1_options(&self, traffic: Traffic) -> Option<Json> {
        if self.settings.headers.preserve_case {
            Some(Json::new(json!({"headerKeyFormat": **PRESERVE_CASE})))
        } else {
            (traffic == Traffic::Gateway).then(|| fixed::HTTP1.clone())
        }
    }

    /// `pathNormalization`
    fn normalize(&self, manager: &mut HttpConnectionManager) {
        let normalization = self.world.environment.config.path_normalization.as_ref();
        let kind = normalization.and_then(|normalization| normalization.normalization);
        let kind = kind.map_or("DEFAULT", |kind| kind.as_str());
        manager.normalize_path = Some(kind != "NONE");
        manager.merge_slashes = matches!(kind, "MERGE_SLASHES" | "DECODE_AND_MERGE_SLASHES");
        manager.path_with_escaped_slashes_action = if kind == "DECODE_AND_MERGE_SLASHES" {
            "UNESCAPE_AND_FORWARD"
        } else {
            "KEEP_UNCHANGED"
        };
    }

    fn name_server(&self, manager: &mut HttpConnectionManager, traffic: Traffic) {
        match &self.settings.headers.server {
            None => manager.server_header_transformation = "PASS_THROUGH",
            Some(Server::Value(value)) => manager.server_name = value.clone(),
            Some(Server::Default) if traffic == Traffic::Outbound => {}
            Some(Server::Default) => manager.server_name = Str::new_static("istio-envoy"),
        }
    }

    /// `x-forwarded-client-cert`: gateways go by their topology alone.
    fn tell_certificate(&self, manager: &mut HttpConnectionManager, traffic: Traffic) {
        match traffic {
            Traffic::Outbound | Traffic::Waypoint => {}
            Traffic::Gateway => {
                let topology = &self.settings.topology;
                let action = topology.forward_client_cert.unwrap_or("SANITIZE_SET");
                manager.xff_num_trusted_hops = topology.trusted_proxies;
                manager.forward_client_cert_details = written(action);
                if matches!(action, "SANITIZE_SET" | "APPEND_FORWARD") {
                    manager.set_current_client_cert_details = Some(fixed::GATEWAY_CERT_DETAILS.clone());
                }
            }
            Traffic::Inbound => {
                let headers = &self.settings.headers;
                let action = headers.forwarded_client_cert.unwrap_or("APPEND_FORWARD");
                let given = headers.client_cert_details.map(details);
                manager.forward_client_cert_details = written(action);
                manager.set_current_client_cert_details =
                    Some(given.unwrap_or_else(|| fixed::SIDECAR_CERT_DETAILS.clone()));
            }
        }
    }

    fn http_filters(&self, chain: &HttpChain) -> Vec<HttpFilter> {
        let traffic = chain.traffic;
        let mut extensions = self.plugins.http(traffic.class(), chain.port);
        let mut filters = Vec::with_capacity(12);
        filters.extend(self.metadata_exchange(traffic));
        let guards = (traffic != Traffic::Outbound).then_some(&self.guards);
        filters.extend(guards.iter().flat_map(|guards| guards.http.custom.iter().cloned()));
        filters.append(&mut extensions.authentication);
        filters.extend(guards.and_then(|guards| guards.tokens.clone()));
        filters.append(&mut extensions.authorization);
        filters.extend(guards.iter().flat_map(|guards| guards.http.others.iter().cloned()));
        if traffic != Traffic::Waypoint {
            filters.append(&mut extensions.statistics);
            filters.append(&mut extensions.unspecified);
        }
        if chain.protocol == Protocol::GrpcWeb {
            filters.push(HttpFilter::json("envoy.filters.http.grpc_web", fixed::GRPC_WEB.clone()));
        }
        filters.push(HttpFilter::json(
            "envoy.filters.http.grpc_stats",
            fixed::GRPC_STATS.clone(),
        ));
        if matches!(traffic, Traffic::Outbound | Traffic::Gateway) {
            filters.push(HttpFilter::json("istio.alpn", fixed::ALPN.clone()));
        }
        filters.push(HttpFilter::json("envoy.filters.http.fault", fixed::FAULT.clone()));
        filters.push(HttpFilter::json("envoy.filters.http.cors", fixed::CORS.clone()));
        if traffic == Traffic::Waypoint {
            filters.append(&mut extensions.statistics);
            filters.append(&mut extensions.unspecified);
            let metadata = fixed::WAYPOINT_UPSTREAM.clone();
            filters.push(HttpFilter::json("waypoint_upstream_peer_metadata", metadata));
        }
        filters.extend(self.signals.http_stats(traffic.class()));
        self.route_filters(chain, &mut filters);
        filters
    }

    fn route_filters(&self, chain: &HttpChain, filters: &mut Vec<HttpFilter>) {
        if let Some(cache) = &chain.dns_cache {
            let proxy = Json::new(json!({
                "@type": "type.googleapis.com/envoy.extensions.filters.http.dynamic_forward_proxy.v3.FilterConfig",
                "dnsCacheConfig": **cache,
            }));
            filters.push(HttpFilter::json("envoy.filters.http.dynamic_forward_proxy", proxy));
        }
        let router = if self.settings.headers.debug_headers {
            fixed::ROUTER.clone()
        } else {
            fixed::QUIET_ROUTER.clone()
        };
        filters.push(HttpFilter::json("envoy.filters.http.router", router));
    }

    fn metadata_exchange(&self, traffic: Traffic) -> Option<HttpFilter> {
        let in_mesh_only = self.settings.headers.metadata_in_mesh_only;
        let config = match (traffic, in_mesh_only) {
            (Traffic::Waypoint, _) => return None,
            (Traffic::Inbound, _) => &fixed::DOWNSTREAM_METADATA,
            (Traffic::Outbound | Traffic::Gateway, false) => &fixed::UPSTREAM_METADATA,
            (Traffic::Outbound | Traffic::Gateway, true) => &fixed::UPSTREAM_METADATA_IN_MESH,
        };
        Some(HttpFilter::json("istio.metadata_exchange", Json::clone(config)))
    }
}

/// `SANITIZE` is Envoy's default and not written.
fn written(action: &'static str) -> &'static str {
    if action == "SANITIZE" { "" } else { action }
}

fn details(details: ClientCertDetails) -> Json {
    let parts = [
        ("cert", details.cert),
        ("chain", details.chain),
        ("dns", details.dns),
        ("subject", details.subject),
        ("uri", details.uri),
    ];
    let told = parts.into_iter().filter(|(_, told)| *told);
    Json::new(told.map(|(name, told)| (name.to_owned(), Value::Bool(told))).collect())
}
