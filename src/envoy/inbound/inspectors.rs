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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envoy::inbound::chains::{Speech, ways};
    use crate::envoy::message::{FilterChainMatch, Str};
    use crate::envoy::mtls::Mode;

    fn chains(ports: &[(u32, Mode, Speech)]) -> Vec<FilterChain> {
        let of_port = |(port, mode, speech): &(u32, Mode, Speech)| {
            let port = Some(*port).filter(|port| *port != 0);
            ways(*mode, *speech).iter().map(move |way| FilterChain {
                filter_chain_match: Some(FilterChainMatch {
                    destination_port: port,
                    transport_protocol: way.transport,
                    application_protocols: way.application_protocols.iter().map(Str::new).collect(),
                    ..FilterChainMatch::default()
                }),
                ..FilterChain::default()
            })
        };
        ports.iter().flat_map(of_port).collect()
    }

    fn disabled(ports: &[(u32, Mode, Speech)]) -> Vec<(&'static str, Value)> {
        let filters = of_bound(&chains(ports)).into_iter();
        let disabled = |filter: ListenerFilter| filter.filter_disabled.map_or(Value::Null, |json| Value::clone(&json));
        filters
            .map(|filter| (filter.name.rsplit('.').next().unwrap_or(""), disabled(filter)))
            .collect()
    }

    #[test]
    fn only_what_a_port_needs_is_looked_at() {
        let range = |port: u32| json!({"destinationPortRange": {"start": port, "end": port + 1}});
        let any = (0, Mode::Permissive, Speech::Either);
        assert_eq!(
            disabled(&[
                any,
                (80, Mode::Permissive, Speech::Http),
                (81, Mode::Disable, Speech::Tcp)
            ]),
            [
                ("tls_inspector", range(81)),
                ("http_inspector", json!({"orMatch": {"rules": [range(80), range(81)]}})),
            ]
        );
        let closed = (0, Mode::Disable, Speech::Either);
        assert_eq!(
            disabled(&[closed, (80, Mode::Strict, Speech::Http)]),
            [
                ("tls_inspector", json!({"notMatch": range(80)})),
                ("http_inspector", range(80))
            ]
        );
    }

    #[test]
    fn strict_ports_need_no_look_at_http() {
        let strict = [(0, Mode::Strict, Speech::Either), (80, Mode::Strict, Speech::Http)];
        assert_eq!(disabled(&strict), [("tls_inspector", Value::Null)]);
        let open = [(0, Mode::Strict, Speech::Either), (80, Mode::Disable, Speech::Either)];
        let nowhere = json!({"destinationPortRange": {"end": 1}});
        assert_eq!(disabled(&open)[1], ("http_inspector", nowhere));
    }
}
