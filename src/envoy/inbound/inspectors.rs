//! The listener filters of inbound listeners: which ports need their first bytes looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::envoy::fixed::{self, fixed};
use crate::envoy::message::{FilterChain, Json, ListenerFilter};

fixed! {
    /// Restores the address that the client wanted to reach.
    ORIGINAL_DESTINATION = {"@type": "type.googleapis.com/envoy.extensions.filters.listener.original_dst.v3.OriginalDst"};
}

/// What a port needs.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    tls: bool,
    http: bool,
}

/// The listener filters for these chains, where connections are redirected.
pub fn of_redirected(chains: &[FilterChain]) -> Vec<ListenerFilter> {
    let mut filters = vec![ListenerFilter {
        name: "envoy.filters.listener.original_dst",
        typed_config: Some(ORIGINAL_DESTINATION.clone()),
        filter_disabled: None,
    }];
    filters.extend(of_bound(chains));
    filters
}

/// The listener filters for these chains, where the listener has the port for itself.
pub fn of_bound(chains: &[FilterChain]) -> Vec<ListenerFilter> {
    let needs = needs(chains);
    let mut filters = Vec::new();
    if needs.values().any(|needs| needs.tls) {
        filters.push(ListenerFilter {
            name: "envoy.filters.listener.tls_inspector",
            typed_config: Some(fixed::TLS_INSPECTOR.clone()),
            filter_disabled: tls_disabled(&needs),
        });
    }
    if needs.values().any(|needs| needs.http) {
        filters.push(ListenerFilter {
            name: "envoy.filters.listener.http_inspector",
            typed_config: Some(fixed::HTTP_INSPECTOR.clone()),
            filter_disabled: any_of(needs.iter().filter(|(_, needs)| !needs.http).map(|(port, _)| *port)),
        });
    }
    filters
}

/// What each port needs; 0 stands for all ports without chains of their own.
fn needs(chains: &[FilterChain]) -> BTreeMap<u32, Needs> {
    let mut ports: BTreeMap<u32, Needs> = BTreeMap::new();
    for condition in chains.iter().filter_map(|chain| chain.filter_chain_match.as_ref()) {
        let needs = ports.entry(condition.destination_port.unwrap_or(0)).or_default();
        needs.tls |= condition.transport_protocol == "tls";
        needs.http |= condition.transport_protocol != "tls" && !condition.application_protocols.is_empty();
    }
    ports
}

/// TLS is looked for on the ports that need it alone, if ports without chains of their own do not; the other filter is
/// always on for those (catalogue: policies, 3).
fn tls_disabled(needs: &BTreeMap<u32, Needs>) -> Option<Json> {
    let by_default = needs.get(&0).is_some_and(|needs| needs.tls);
    let different = needs
        .iter()
        .filter(|(port, needs)| **port != 0 && needs.tls != by_default);
    let ports = any_of(different.map(|(port, _)| *port))?;
    Some(if by_default {
        ports
    } else {
        Arc::new(json!({"notMatch": *ports}))
    })
}

/// Matches connections to any of these ports.
fn any_of(ports: impl Iterator<Item = u32>) -> Option<Json> {
    let mut rules: Vec<Value> = ports.map(range).collect();
    let first = rules.pop()?;
    if rules.is_empty() {
        return Some(Arc::new(first));
    }
    rules.push(first);
    Some(Arc::new(json!({"orMatch": {"rules": rules}})))
}

fn range(port: u32) -> Value {
    let end = port.saturating_add(1);
    if port == 0 {
        json!({"destinationPortRange": {"end": end}})
    } else {
        json!({"destinationPortRange": {"start": port, "end": end}})
    }
}
