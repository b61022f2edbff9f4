//! RequestAuthentications as the filter that checks tokens.
//!
//! The rules of all policies are joined, by issuer (catalogue: policies, 21). A request without a token passes; one with
//! a bad token does not.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Target;
use crate::envoy::World;
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::{
    DataSource, HttpConfig, HttpFilter, Json, JwtAuthentication, JwtClaimToHeader, JwtHeader, JwtProvider, Origin, Str,
};
use crate::envoy::pods::Role;
use crate::envoy::providers::cluster_of;
use crate::model::Text;
use crate::model::istio::JwtRule;

/// The filter of a target's HTTP chains.
pub fn jwt_filter(world: &World<'_, '_>, target: &Target<'_>) -> Option<HttpFilter> {
    let mut origin = Origin::default();
    let mut rules: Vec<&JwtRule<'_>> = Vec::new();
    for attached in world.policies.authentication.of_target(world, target) {
        let policy = attached.object;
        if !policy.jwt_rules.is_empty() {
            origin.add(policy.header.span);
        }
        rules.extend(&policy.body.jwt_rules);
    }
    if rules.is_empty() {
        return None;
    }
    rules.sort_by_key(|rule| text(rule.issuer));
    let name = |index: usize| Str::from(format!("origins-{index}"));
    let provider = |(index, rule): (usize, &&JwtRule<'_>)| (name(index), provider(world, target, rule));
    let config = JwtAuthentication {
        bypass_cors_preflight: true,
        providers: rules.iter().enumerate().map(provider).collect(),
        rules: vec![requirement(&(0..rules.len()).map(name).collect::<Vec<_>>())],
    };
    Some(HttpFilter {
        name: Str::new_static("envoy.filters.http.jwt_authn"),
        typed_config: Some(HttpConfig::Jwt(Arc::new(config))),
        origin,
        ..HttpFilter::default()
    })
}

/// A token of one of the providers, or with each provider a good token or none.
fn requirement(names: &[Str]) -> Json {
    let named = |name: &Str| json!({"providerName": name});
    let optional = |name: &Str| json!({"requiresAny": {"requirements": [named(name), {"allowMissing": {}}]}});
    let requires = match names {
        [name] => optional(name),
        names => {
            let optional: Vec<Value> = names.iter().map(optional).collect();
            let each = json!({"requiresAll": {"requirements": optional}});
            let alternatives: Vec<Value> = names.iter().map(named).chain([each]).collect();
            json!({"requiresAny": {"requirements": alternatives}})
        }
    };
    Arc::new(json!({"match": {"prefix": "/"}, "requires": requires}))
}

fn provider(world: &World<'_, '_>, target: &Target<'_>, rule: &JwtRule<'_>) -> JwtProvider {
    let texts = |list: &[Text<'_>]| list.iter().map(|text| Str::new(text.as_str())).collect();
    let remote_jwks = remote_keys(world, rule);
    JwtProvider {
        audiences: texts(&rule.audiences),
        claim_to_headers: (rule.output_claim_to_headers.iter())
            .map(|output| JwtClaimToHeader {
                header_name: text(output.header),
                claim_name: text(output.claim),
            })
            .collect(),
        clear_route_cache: target.role != Role::Sidecar,
        forward: rule.forward_original_token.is_some_and(|forward| forward.value),
        forward_payload_header: text(rule.output_payload_to_header),
        from_cookies: texts(&rule.from_cookies),
        from_headers: (rule.from_headers.iter())
            .map(|header| JwtHeader {
                name: text(header.name),
                value_prefix: text(header.prefix),
            })
            .collect(),
        from_params: texts(&rule.from_params),
        issuer: text(rule.issuer),
        local_jwks: remote_jwks.is_none().then(|| local_keys(rule)),
        normalize_payload_in_metadata: Some(Arc::new(json!({"spaceDelimitedClaims": delimited_claims(rule)}))),
        payload_in_metadata: Str::new_static("payload"),
        remote_jwks,
        origin: Origin::of(rule.span),
    }
}

/// The claims that hold words parted by spaces.
fn delimited_claims<'r>(rule: &JwtRule<'r>) -> BTreeSet<&'r str> {
    let written = rule.space_delimited_claims.iter().map(Text::as_str);
    written.chain(["permission", "scope"]).collect()
}

/// The keys that istiod sends along. It cannot fetch any here, and then sends one that fits nothing.
fn local_keys(rule: &JwtRule<'_>) -> DataSource {
    let written = rule.jwks.filter(|jwks| !jwks.is_empty());
    DataSource {
        inline_string: Some(written.map_or(Str::new_static(NO_KEYS), |jwks| Str::new(jwks.as_str()))),
        ..DataSource::default()
    }
}

/// The keys that the proxy fetches itself, where istiod leaves it to proxies (catalogue: policies, 24).
fn remote_keys(world: &World<'_, '_>, rule: &JwtRule<'_>) -> Option<Json> {
    let uri = rule.jwks_uri.or(rule.old_jwks_uri).filter(|uri| !uri.is_empty())?;
    let mode = world.environment.variable("PILOT_JWT_ENABLE_REMOTE_JWKS")?;
    let (host, port) = authority(uri.as_str())?;
    let known = cluster_of(world, host, port).map(|(_, cluster)| cluster);
    let cluster = match (mode, known) {
        ("envoy" | "hybrid" | "true", Some(cluster)) => cluster,
        ("envoy", None) => Str::from(format!("outbound|{port}||{host}")),
        _ => return None,
    };
    let timeout = rule
        .timeout
        .map_or(Str::new_static("5s"), |timeout| envoy_duration(timeout.as_str()));
    Some(Arc::new(json!({
        "httpUri": {"uri": uri.as_str(), "cluster": cluster, "timeout": timeout},
        "cacheDuration": "300s",
    })))
}

/// The host and port of an address of the web.
fn authority(uri: &str) -> Option<(&str, i64)> {
    let (scheme, rest) = uri.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    match authority.rsplit_once(':') {
        Some((host, port)) => Some((host, port.parse::<u16>().ok()?.into())),
        None => Some((authority, if scheme == "https" { 443 } else { 80 })),
    }
}

fn text(text: Option<Text<'_>>) -> Str {
    text.map_or(Str::default(), |text| Str::new(text.as_str()))
}

/// The key that istiod sends where it has none.
const NO_KEYS: &str = r#"{
  "keys": [
    {
      "kty": "RSA",
      "e": "AQAB",
      "n": "0xObjM0UvS_oaazjpEYlAbwctEJ4L8pH3OuTb7qth7gUwqet-EzQB4dgFdvSdMgrLnSncQGRjpEYz3F3viIbH-3EN3TxSlPNviHxeOdyiBVfumN8dMxbLvVJUpfNOnvmMxJcl-8NNjAwcOjk4otSALaYgYYyOPyvKtgVdrQr-FoubWX4yrjxW-MJ2-7OBeepUUNOsVwGV23YX03sVkkyvY3otRflkBcY3_HKpBxJl9wk2GyOShN4_PNUF9-vwfnvOXMbCDX-w4PTef4geeb_GiT40YCKHTKMSPVanGRn5GExIWmki-mmqh94-mPTJyBR74ShspL3BxPZitDL574T1w"
    }
  ]
}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_an_address_follows_from_its_scheme() {
        assert_eq!(authority("https://keys.example.com/a"), Some(("keys.example.com", 443)));
        assert_eq!(authority("http://keys.example.com?a"), Some(("keys.example.com", 80)));
        assert_eq!(
            authority("http://keys.example.com:8080/a"),
            Some(("keys.example.com", 8080))
        );
        assert_eq!(authority("keys.example.com"), None);
        assert_eq!(authority("http://keys.example.com:x"), None);
    }
}
