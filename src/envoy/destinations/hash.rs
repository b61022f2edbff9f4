//! What routes and TCP proxies hash.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::policy::port_entry;
use super::{MergedRule, Policy};
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::Json;
use crate::model::istio::{ConsistentHashLb, HttpCookie, Subset};

/// `hashPolicy` of the routes to a port of a host, or to a subset; empty where requests are not hashed. The nearest level
/// that hashes counts, even where a nearer one balances in another way.
pub fn hash_policies(rule: &MergedRule<'_, '_>, port: u32, subset: Option<&Subset<'_>>) -> Vec<Json> {
    let of_subset = subset.and_then(|subset| subset.traffic_policy.as_deref());
    let policies = of_subset.into_iter().chain(rule.traffic_policy);
    let levels = policies.flat_map(|policy| {
        let entry = port_entry(policy, port).and_then(|entry| entry.load_balancer.as_deref());
        [entry, policy.load_balancer.as_deref()]
    });
    let hash = levels
        .flatten()
        .find_map(|balancer| balancer.consistent_hash.as_deref());
    hash.and_then(hash_policy).into_iter().map(Arc::new).collect()
}

/// Whether TCP connections to a destination are hashed by the address of the client.
pub fn hashes_source_address(policy: &Policy<'_, '_>) -> bool {
    let hash = consistent_hash(policy);
    hash.and_then(|hash| hash.use_source_ip)
        .is_some_and(|by_address| by_address.value)
}

fn consistent_hash<'m, 'a>(policy: &Policy<'m, 'a>) -> Option<&'m ConsistentHashLb<'a>> {
    policy.load_balancer?.consistent_hash.as_deref()
}

fn hash_policy(hash: &ConsistentHashLb<'_>) -> Option<Value> {
    if let Some(header) = hash.http_header_name {
        return Some(json!({"header": {"headerName": header.as_str()}}));
    }
    if let Some(cookie) = hash.http_cookie.as_deref() {
        return Some(json!({"cookie": cookie_policy(cookie)}));
    }
    if let Some(by_address) = hash.use_source_ip {
        let properties = if by_address.value {
            json!({"sourceIp": true})
        } else {
            json!({})
        };
        return Some(json!({"connectionProperties": properties}));
    }
    let parameter = hash.http_query_parameter_name?;
    Some(json!({"queryParameter": {"name": parameter.as_str()}}))
}

fn cookie_policy(cookie: &HttpCookie<'_>) -> Map<String, Value> {
    let mut policy = Map::new();
    let texts = [("name", cookie.name), ("path", cookie.path)];
    for (key, text) in texts.into_iter().filter_map(|(key, text)| Some((key, text?))) {
        policy.insert(key.into(), text.as_str().into());
    }
    if let Some(ttl) = cookie.ttl {
        policy.insert("ttl".into(), envoy_duration(ttl.as_str()).as_str().into());
    }
    let attributes = cookie.attributes.iter().map(|attribute| {
        let text = |text: Option<crate::model::Text<'_>>| text.map_or(String::new(), |text| text.to_string());
        json!({"name": text(attribute.name), "value": text(attribute.value)})
    });
    let attributes: Vec<Value> = attributes.collect();
    if !attributes.is_empty() {
        policy.insert("attributes".into(), attributes.into());
    }
    policy
}
