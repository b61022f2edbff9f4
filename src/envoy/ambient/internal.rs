//! The listener of a waypoint for what arrives in tunnels: the address that a tunnel is for chooses the chain.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::chains::{self, protocols};
use super::{Waypoint, tunnel};
use crate::envoy::filters::Filters;
use crate::envoy::fixed::HTTP_INSPECTOR;
use crate::envoy::message::{Empty, Listener, ListenerFilter, Str};
use crate::envoy::registry::{Port, Service};
use crate::envoy::routing::compile::waypoint_cluster_name;
use crate::envoy::scope::Scope;
use crate::mesh::Protocol;

const INPUTS: &str = "type.googleapis.com/envoy.extensions.matching.common_inputs.network.v3";

/// The listener.
pub(super) fn listener(filters: &Filters<'_, '_, '_>, scope: &Scope, waypoint: &Waypoint) -> Listener {
    let services: Vec<&Service<'_, '_>> = waypoint
        .services
        .iter()
        .map(|id| &filters.world.registry.services[*id])
        .collect();
    let mut filter_chains = Vec::new();
    for service in &services {
        filter_chains.extend(chains::of_service(filters, scope, service));
    }
    filter_chains.extend(chains::direct(filters));
    let mut ranges: Vec<Value> = services.iter().map(|service| of_service(service)).collect();
    ranges.extend(of_pods(waypoint));
    Listener {
        name: Str::new_static("main_internal"),
        filter_chain_matcher: Some(Arc::new(by_address(&ranges))),
        filter_chains,
        internal_listener: Some(Empty {}),
        listener_filters: vec![tunnel::original_destination(), inspector(&services, waypoint)],
        traffic_direction: "INBOUND",
        ..Listener::default()
    }
}

fn by_address(ranges: &[Value]) -> Value {
    let matcher = "type.googleapis.com/xds.type.matcher.v3.IPMatcher";
    json!({"matcherTree": {
        "customMatch": {"name": "ip", "typedConfig": {"@type": matcher, "rangeMatchers": ranges}},
        "input": input("ip", "DestinationIPInput"),
    }})
}

fn input(name: &str, kind: &str) -> Value {
    json!({"name": name, "typedConfig": {"@type": format!("{INPUTS}.{kind}")}})
}

fn to_chain(name: &str) -> Value {
    let kind = "type.googleapis.com/google.protobuf.StringValue";
    json!({"action": {"name": name, "typedConfig": {"@type": kind, "value": name}}})
}

fn of_service(service: &Service<'_, '_>) -> Value {
    let mut ports = Map::new();
    for port in &service.ports {
        let chain = |protocol: &str| waypoint_cluster_name(port.number, protocol, "", &service.host);
        let target = match protocols(port) {
            [] => continue,
            [protocol] => to_chain(&chain(protocol)),
            _ => by_protocol(&chain("tcp"), &chain("http")),
        };
        ports.entry(port.number.to_string()).or_insert(target);
    }
    let addresses = service.addresses.iter().map(|(_, address)| range(address));
    json!({
        "onMatch": {"matcher": {"matcherTree": {
            "exactMatchMap": {"map": ports},
            "input": input("port", "DestinationPortInput"),
        }}},
        "ranges": addresses.collect::<Vec<_>>(),
    })
}

/// The first bytes tell HTTP from the rest.
fn by_protocol(tcp: &str, http: &str) -> Value {
    json!({"matcher": {
        "matcherTree": {
            "exactMatchMap": {"map": {"'h2c'": to_chain(http), "'http/1.1'": to_chain(http)}},
            "input": input("application-protocol", "ApplicationProtocolInput"),
        },
        "onNoMatch": to_chain(tcp),
    }})
}

fn of_pods(waypoint: &Waypoint) -> Option<Value> {
    let ranges: Vec<Value> = waypoint.pods.iter().map(|address| range(address)).collect();
    (!ranges.is_empty()).then(|| json!({"onMatch": by_protocol("direct-tcp", "direct-http"), "ranges": ranges}))
}

fn range(address: &str) -> Value {
    let (prefix, length) = match address.split_once('/') {
        Some((prefix, length)) => (prefix, length.parse().unwrap_or(32)),
        None if address.contains(':') => (address, 128),
        None => (address, 32),
    };
    json!({"addressPrefix": prefix, "prefixLen": length})
}

/// Looks at the first bytes, but not on ports whose protocol is known for all services.
fn inspector(services: &[&Service<'_, '_>], waypoint: &Waypoint) -> ListenerFilter {
    let mut known: BTreeMap<u32, bool> = BTreeMap::new();
    let ports = services.iter().flat_map(|service| &service.ports);
    for Port { number, protocol, .. } in ports.filter(|port| port.protocol != Protocol::Udp) {
        *known.entry(*number).or_insert(true) &= *protocol != Protocol::Auto;
    }
    let known = known
        .into_iter()
        .filter(|(_, known)| *known && waypoint.pods.is_empty());
    let mut rules: Vec<Value> = known
        .map(|(number, _)| json!({"destinationPortRange": {"start": number, "end": number.saturating_add(1)}}))
        .collect();
    let disabled = match rules.len() {
        0 => None,
        1 => Some(rules.remove(0)),
        _ => Some(json!({"orMatch": {"rules": rules}})),
    };
    ListenerFilter {
        name: "envoy.filters.listener.http_inspector",
        filter_disabled: disabled.map(Arc::new),
        typed_config: Some(HTTP_INSPECTOR.clone()),
    }
}
