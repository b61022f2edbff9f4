//! Who calls: tokens of requests and certificates of connections.

mod malformed_jwks;
mod missing_issuer;
mod port_mtls_without_selector;
mod private_key_in_jwks;
mod several_key_sources;

use super::Rule;

pub const RULES: &[Rule] = &[
    malformed_jwks::RULE,
    missing_issuer::RULE,
    port_mtls_without_selector::RULE,
    private_key_in_jwks::RULE,
    several_key_sources::RULE,
];
