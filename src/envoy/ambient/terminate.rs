//! The listener of a waypoint that ends tunnels.

use super::{fixed, tunnel};
use crate::envoy::World;
use crate::envoy::message::{
    Address, DownstreamTlsContext, Filter, FilterChain, HttpConnectionManager, HttpFilter, Json, Listener, Route,
    RouteAction, RouteConfiguration, RouteMatch, Str, TransportConfig, TransportSocket, VirtualHost,
};

/// The listener; what arrives in a tunnel goes to `main_internal`.
pub(super) fn listener(world: &World<'_, '_>) -> Listener {
    let context = DownstreamTlsContext {
        common_tls_context: tunnel::common_context(tunnel::identities(&world.environment, None)),
        require_client_certificate: Some(true),
    };
    Listener {
        name: Str::new_static("connect_terminate"),
        address: Some(Address::socket("0.0.0.0", 15008)),
        connection_balance_config: Some(fixed::EXACT_BALANCE.clone()),
        filter_chains: vec![FilterChain {
            name: Str::new_static("default"),
            filters: vec![Filter::http(manager())],
            transport_socket: Some(TransportSocket {
                name: Str::new_static("tls"),
                typed_config: Some(TransportConfig::Downstream(Box::new(context))),
            }),
            ..FilterChain::default()
        }],
        ..Listener::default()
    }
}

fn manager() -> HttpConnectionManager {
    HttpConnectionManager {
        forward_client_cert_details: "APPEND_FORWARD",
        http2_protocol_options: Some(fixed::TUNNEL_HTTP2.clone()),
        http_filters: vec![
            HttpFilter::json("waypoint_downstream_peer_metadata", fixed::DOWNSTREAM_PEER.clone()),
            HttpFilter::json("connect_authority", fixed::TUNNEL_AUTHORITY.clone()),
            HttpFilter::json("envoy.filters.http.router", fixed::ROUTER.clone()),
        ]
        .into(),
        route_config: Some(Box::new(routes())),
        server_name: Str::new_static("istio-envoy"),
        set_current_client_cert_details: Some(fixed::CERTIFICATE_DETAILS.clone()),
        stat_prefix: Str::new_static("connect_terminate"),
        stream_idle_timeout: Str::new_static("0s"),
        upgrade_configs: vec![fixed::CONNECT.clone()],
        use_remote_address: Some(false),
        ..HttpConnectionManager::default()
    }
}

fn routes() -> RouteConfiguration {
    let route = Route {
        r#match: RouteMatch {
            connect_matcher: Some(Json::clone(&fixed::CONNECT_MATCHER)),
            ..RouteMatch::default()
        },
        route: Some(Box::new(RouteAction {
            cluster: Str::new_static("main_internal"),
            upgrade_configs: vec![fixed::CONNECT_ENDS.clone()],
            ..RouteAction::default()
        })),
        ..Route::default()
    };
    RouteConfiguration {
        name: Str::new_static("default"),
        virtual_hosts: vec![VirtualHost {
            name: Str::new_static("default"),
            domains: vec![Str::new_static("*")],
            routes: vec![route],
            ..VirtualHost::default()
        }],
        ..RouteConfiguration::default()
    }
}
