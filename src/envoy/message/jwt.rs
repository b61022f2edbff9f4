//! Tokens.

use std::collections::BTreeMap;

use super::{DataSource, Json, Origin, Str, message};

message! {
    /// `jwt_authn.v3.JwtAuthentication`
    JwtAuthentication {
        bypass_cors_preflight: bool,
        providers: BTreeMap<Str, JwtProvider>,
        rules: Vec<Json>,
    }
    /// `jwt_authn.v3.JwtProvider`
    JwtProvider {
        audiences: Vec<Str>,
        claim_to_headers: Vec<JwtClaimToHeader>,
        clear_route_cache: bool,
        forward: bool,
        forward_payload_header: Str,
        from_cookies: Vec<Str>,
        from_headers: Vec<JwtHeader>,
        from_params: Vec<Str>,
        issuer: Str,
        local_jwks: Option<DataSource>,
        normalize_payload_in_metadata: Option<Json>,
        payload_in_metadata: Str,
        remote_jwks: Option<Json>,
        origin: Origin,
    }
    /// `jwt_authn.v3.JwtHeader`
    JwtHeader {
        name: Str,
        value_prefix: Str,
    }
    /// `jwt_authn.v3.JwtClaimToHeader`
    JwtClaimToHeader {
        header_name: Str,
        claim_name: Str,
    }
}
