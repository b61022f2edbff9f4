//! Who calls: tokens of requests and certificates of connections.

mod malformed_jwks;
mod missing_issuer;
mod mutual_tls_to_plaintext_workload;
mod mutual_tls_without_sidecar;
mod plaintext_to_strict_workload;
mod port_mtls_without_selector;
mod private_key_in_jwks;
mod several_key_sources;
mod strict_without_client_tls;

use super::Rule;

pub const RULES: &[Rule] = &[
    malformed_jwks::RULE,
    missing_issuer::RULE,
    mutual_tls_to_plaintext_workload::RULE,
    mutual_tls_without_sidecar::RULE,
    plaintext_to_strict_workload::RULE,
    port_mtls_without_selector::RULE,
    private_key_in_jwks::RULE,
    several_key_sources::RULE,
    strict_without_client_tls::RULE,
];
