//! What a patch matches: conditions on listeners, chains and filters.

use serde_json::Value as Json;

use super::patch::{Patch, Place};
use crate::model::istio::{EnvoyFilterListenerMatchFilterMatch, FilterChainMatch};
use crate::model::{Spanned, Text};

/// The two listeners whose chains stand for ports of their own.
const VIRTUAL: [&str; 2] = ["virtualInbound", "virtualOutbound"];

/// A text field of a message; empty where it is not set.
pub fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json.get(key).and_then(Json::as_str).unwrap_or_default()
}

/// The items of a list field.
pub fn items<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json.get(key).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a condition is not set, or is this text.
pub fn fits(condition: Option<Text<'_>>, is: &str) -> bool {
    condition.is_none_or(|condition| condition.as_str().is_empty() || condition.as_str() == is)
}

/// Whether a condition is not set, or is this port.
pub fn fits_port(condition: Option<Spanned<i64>>, port: Option<u64>) -> bool {
    condition.is_none_or(|condition| condition.value == 0 || u64::try_from(condition.value).ok() == port)
}

/// Whether a listener is the one that a patch is for. In the virtual ones a port is that of a chain (catalogue: policies,
/// 57).
pub fn is_listener(patch: &Patch<'_, '_>, listener: &Json) -> bool {
    let Some(conditions) = patch.listener() else {
        return true;
    };
    let name = text(listener, "name");
    let whole = patch.place == Place::Listener;
    let port = listener
        .pointer("/address/socketAddress/portValue")
        .and_then(Json::as_u64);
    fits(conditions.name, name) && (!whole && VIRTUAL.contains(&name) || fits_port(conditions.port_number, port))
}

/// Whether a chain of such a listener is one that a patch is for.
pub fn is_chain(patch: &Patch<'_, '_>, listener: &Json, chain: &Json) -> bool {
    if let Some(waypoint) = patch.matches().and_then(|matches| matches.waypoint.as_deref()) {
        let port = text(chain, "name").split('|').nth(1).and_then(|port| port.parse().ok());
        return fits_port(waypoint.port_number, port);
    }
    let Some(conditions) = patch.listener() else {
        return true;
    };
    let port = chain
        .pointer("/filterChainMatch/destinationPort")
        .and_then(Json::as_u64);
    let is_virtual = VIRTUAL.contains(&text(listener, "name"));
    (!is_virtual || fits_port(conditions.port_number, port))
        && conditions
            .filter_chain
            .as_deref()
            .is_none_or(|wanted| has_traits(wanted, chain, port))
}

fn has_traits(wanted: &FilterChainMatch<'_>, chain: &Json, port: Option<u64>) -> bool {
    let conditions = chain.get("filterChainMatch").unwrap_or(&Json::Null);
    let lists = |key: &str, wanted: &str| items(conditions, key).iter().any(|item| item == wanted);
    let sni = wanted.sni.as_ref().map_or("", Text::as_str);
    let protocols = wanted.application_protocols.as_ref().map_or("", Text::as_str);
    fits(wanted.name, text(chain, "name"))
        && (sni.is_empty() || lists("serverNames", sni))
        && fits(wanted.transport_protocol, text(conditions, "transportProtocol"))
        && (protocols.is_empty()
            || protocols
                .split(',')
                .all(|protocol| lists("applicationProtocols", protocol)))
        && fits_port(wanted.destination_port, port)
}

/// The filters that a patch names: a network filter, and an HTTP filter inside.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named<'a> {
    /// The name of a network filter.
    pub network: Option<&'a str>,
    /// The name of an HTTP filter.
    pub http: Option<&'a str>,
}

impl<'a> Named<'a> {
    /// The filters that a patch names.
    pub fn of(patch: &Patch<'_, 'a>) -> Self {
        let listener = || patch.listener()?.filter_chain.as_deref()?.filter.as_deref();
        if let Some(filter) = listener() {
            return Self::of_filter(filter);
        }
        let waypoint = patch
            .matches()
            .and_then(|matches| matches.waypoint.as_deref()?.filter.as_deref());
        waypoint.map_or(Self::default(), |filter| Self {
            network: Some(name(filter.name)),
            http: filter.sub_filter.as_deref().map(|inner| name(inner.name)),
        })
    }

    fn of_filter(filter: &EnvoyFilterListenerMatchFilterMatch<'a>) -> Self {
        Self {
            network: Some(name(filter.name)),
            http: filter.sub_filter.as_deref().map(|inner| name(inner.name)),
        }
    }
}

fn name(name: Option<Text<'_>>) -> &str {
    name.map_or("", |name| name.as_str())
}

/// Whether a filter has the name. Old names, which its own ones replaced, are not looked up.
pub fn is_filter(wanted: &str, filter: &Json) -> bool {
    wanted == text(filter, "name")
}
