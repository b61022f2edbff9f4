//! Who receives how much of the mesh: `Sidecar`s and namespaces without one.

mod captured_socket_listener;
mod early_catch_all_listener;
mod egress_proxy_without_allow_any;
mod empty_sidecar;
mod http_pool_without_http;
mod redundant_egress_host;
mod repeated_sidecar_listener;
mod unscoped_namespace;

use super::Rule;

pub const RULES: &[Rule] = &[
    captured_socket_listener::RULE,
    early_catch_all_listener::RULE,
    egress_proxy_without_allow_any::RULE,
    empty_sidecar::RULE,
    http_pool_without_http::RULE,
    redundant_egress_host::RULE,
    repeated_sidecar_listener::RULE,
    unscoped_namespace::RULE,
];
