//! Which metrics are told: one `istio.stats` filter a Prometheus provider.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::logs::names;
use super::{Class, speaks_of};
use crate::envoy::World;
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::{Json, Str};
use crate::envoy::pods::Role;
use crate::envoy::providers::provider;
use crate::model::Text;
use crate::model::istio::{Metrics, MetricsOverrides, Telemetry};

/// The metrics that Istio names, and their names in Prometheus.
const METRICS: [(&str, &str); 10] = [
    ("GRPC_REQUEST_MESSAGES", "request_messages_total"),
    ("GRPC_RESPONSE_MESSAGES", "response_messages_total"),
    ("REQUEST_COUNT", "requests_total"),
    ("REQUEST_DURATION", "request_duration_milliseconds"),
    ("REQUEST_SIZE", "request_bytes"),
    ("RESPONSE_SIZE", "response_bytes"),
    ("TCP_CLOSED_CONNECTIONS", "tcp_connections_closed_total"),
    ("TCP_OPENED_CONNECTIONS", "tcp_connections_opened_total"),
    ("TCP_RECEIVED_BYTES", "tcp_received_bytes_total"),
    ("TCP_SENT_BYTES", "tcp_sent_bytes_total"),
];

/// What a provider tells of one class of traffic.
#[derive(Debug, Default)]
struct Told<'t> {
    interval: Option<Str>,
    /// Whether all metrics are off.
    silent: bool,
    /// Changes by metric, in the order of Istio's names.
    changes: BTreeMap<&'t str, Change<'t>>,
}

/// The change of one metric.
#[derive(Debug, Default)]
struct Change<'t> {
    dropped: bool,
    /// Tags with their value, or removed.
    tags: BTreeMap<&'t str, Option<&'t str>>,
}

/// The configurations of `istio.stats` for a target with these resources.
pub(super) fn stats(world: &World<'_, '_>, telemetry: &[&Telemetry<'_>], class: Class, role: Role) -> Vec<Json> {
    let told = told(world, telemetry, class).into_iter();
    told.filter(|(name, told)| !told.silent && is_prometheus(world, name))
        .map(|(_, told)| Arc::new(config(&told, class, role)))
        .collect()
}

/// Istio brings a provider of its own.
fn is_prometheus(world: &World<'_, '_>, name: &str) -> bool {
    provider(world, name).map_or(name == "prometheus", |provider| provider.prometheus.is_some())
}

/// What each provider tells. The narrowest resource that names providers decides which there are; blocks without names
/// repeat those before them.
fn told<'t>(world: &'t World<'_, '_>, telemetry: &[&'t Telemetry<'_>], class: Class) -> BTreeMap<&'t str, Told<'t>> {
    let mut inherited: Vec<&str> = (world.environment.config.default_providers.as_deref())
        .map_or(&[][..], |defaults| &defaults.metrics)
        .iter()
        .map(Text::as_str)
        .collect();
    let blocks: Vec<&Metrics<'_>> = telemetry.iter().flat_map(|telemetry| &telemetry.metrics).collect();
    if blocks.is_empty() {
        return inherited.into_iter().map(|name| (name, Told::default())).collect();
    }
    let last = blocks
        .iter()
        .rev()
        .map(|block| names(&block.providers))
        .find(|names| !names.is_empty());
    let in_scope: BTreeSet<&str> = last.unwrap_or_else(|| inherited.clone()).into_iter().collect();
    let mut told: BTreeMap<&str, Told<'_>> = BTreeMap::new();
    for block in blocks {
        let named = names(&block.providers);
        if !named.is_empty() {
            inherited = named;
        }
        for name in inherited.iter().filter(|name| in_scope.contains(*name)) {
            told.entry(*name).or_default().apply(block, class);
        }
    }
    told
}

impl<'t> Told<'t> {
    fn apply(&mut self, block: &'t Metrics<'_>, class: Class) {
        if let Some(interval) = block.reporting_interval {
            self.interval = Some(envoy_duration(interval.as_str()));
        }
        let of_class = block.overrides.iter().filter(|change| {
            let mode = change.matches.as_ref().and_then(|matches| matches.mode);
            speaks_of(mode.map(|mode| mode.as_str()), class)
        });
        for change in of_class {
            let metrics = metrics(change);
            if metrics.len() > 1 && change.disabled.is_some_and(|disabled| disabled.value) {
                self.silent = true;
                continue;
            }
            self.silent = false;
            for metric in metrics {
                self.changes.entry(metric).or_default().apply(change);
            }
        }
    }
}

/// The metrics that a change is about; all of Istio's where it does not say.
fn metrics<'t>(change: &'t MetricsOverrides<'_>) -> Vec<&'t str> {
    let matches = change.matches.as_deref();
    if let Some(custom) = matches.and_then(|matches| matches.custom_metric) {
        return vec![custom.as_str()];
    }
    match matches.and_then(|matches| matches.metric) {
        Some(metric) if metric.as_str() != "ALL_METRICS" => vec![metric.as_str()],
        _ => METRICS.iter().map(|(name, _)| *name).collect(),
    }
}

impl<'t> Change<'t> {
    fn apply(&mut self, change: &'t MetricsOverrides<'_>) {
        if let Some(disabled) = change.disabled {
            self.dropped = disabled.value;
        }
        for (tag, to) in &change.tag_overrides {
            let is_removed = to.operation.is_some_and(|operation| operation.as_str() == "REMOVE");
            let value = to.value.map_or("", |value| value.as_str());
            self.tags.insert(tag.as_str(), (!is_removed).then_some(value));
        }
    }
}

fn config(told: &Told<'_>, class: Class, role: Role) -> Value {
    let mut config = json!({"@type": "type.googleapis.com/stats.PluginConfig"});
    if class != Class::Outbound {
        config["disableHostHeaderFallback"] = Value::Bool(true);
    }
    if let Some(interval) = &told.interval {
        config["tcpReportingDuration"] = json!(interval);
    }
    if role == Role::Waypoint {
        config["reporter"] = json!("SERVER_GATEWAY");
    }
    let metrics: Vec<Value> = told.changes.iter().map(|(name, change)| metric(name, change)).collect();
    if !metrics.is_empty() {
        config["metrics"] = Value::Array(metrics);
    }
    config
}

fn metric(name: &str, change: &Change<'_>) -> Value {
    let known = METRICS.iter().find(|(known, _)| *known == name);
    let mut metric = json!({"name": known.map_or(name, |(_, name)| *name)});
    let dimensions: Map<String, Value> = (change.tags.iter())
        .filter_map(|(tag, value)| Some(((*tag).to_owned(), json!((*value)?))))
        .collect();
    let removed: Vec<&str> = (change.tags.iter())
        .filter_map(|(tag, value)| value.is_none().then_some(*tag))
        .collect();
    if !dimensions.is_empty() {
        metric["dimensions"] = Value::Object(dimensions);
    }
    if !removed.is_empty() {
        metric["tagsToRemove"] = json!(removed);
    }
    if change.dropped {
        metric["drop"] = Value::Bool(true);
    }
    metric
}
