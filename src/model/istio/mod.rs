//! Istio's own kinds, as decoded from `spec`. Field names are the API's.

mod authorization_policy;
mod destination_rule;
mod envoy_filter;
mod gateway;
mod peer_authentication;
mod proxy_config;
mod request_authentication;
mod service_entry;
mod shared;
mod sidecar;
mod targets;
mod telemetry;
mod traffic_extension;
mod virtual_service;
mod wasm_plugin;
mod workload_entry;
mod workload_group;

pub use authorization_policy::*;
pub use destination_rule::*;
pub use envoy_filter::*;
pub use gateway::*;
pub use peer_authentication::*;
pub use proxy_config::*;
pub use request_authentication::*;
pub use service_entry::*;
pub use shared::*;
pub use sidecar::*;
pub use targets::*;
pub use telemetry::*;
pub use traffic_extension::*;
pub use virtual_service::*;
pub use wasm_plugin::*;
pub use workload_entry::*;
pub use workload_group::*;

use thin_vec::ThinVec;

use super::record::record;
use super::{Labels, Spanned, Text};

record! {
    /// A host, and on it a port and a subset.
    Destination<'a> {
        host: Option<Text<'a>> = text("host");
        subset: Option<Text<'a>> = text("subset");
        port: Option<PortSelector> = object("port", PortSelector::decode);
    }
    /// A port by number.
    PortSelector {
        number: Option<Spanned<i64>> = number("number");
    }
    /// A condition on a text: at most one member is set.
    StringMatch<'a> {
        exact: Option<Text<'a>> = text("exact");
        prefix: Option<Text<'a>> = text("prefix");
        regex: Option<Text<'a>> = text("regex");
    }
    /// A share from 0 to 100.
    Percent {
        value: Option<Spanned<f64>> = decimal("value");
    }
    /// Header changes on the way there and back.
    Headers<'a> {
        request: Option<HeaderOperations<'a>> = object("request", HeaderOperations::decode);
        response: Option<HeaderOperations<'a>> = object("response", HeaderOperations::decode);
    }
    /// Header changes.
    HeaderOperations<'a> {
        set: Labels<'a> = labels("set");
        add: Labels<'a> = labels("add");
        remove: ThinVec<Text<'a>> = texts("remove");
    }
    /// Pods by their labels (`matchLabels`).
    WorkloadSelector<'a> {
        match_labels: Labels<'a> = labels("matchLabels");
    }
    /// Pods by their labels, as the networking kinds write it (`labels`).
    LabelsSelector<'a> {
        labels: Labels<'a> = labels("labels");
    }
    /// A resource that a policy attaches to.
    PolicyTargetReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
    }
}
