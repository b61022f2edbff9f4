//! The `tracing` of connection managers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Filters, fixed};
use crate::envoy::message::{Json, Str};
use crate::envoy::proxy_settings::Tag;
use crate::envoy::telemetry::{Class, Trace, Traces};

/// Sampling and tags of a proxy: as Telemetry says, else by the proxy's settings.
pub fn tracing(filters: &Filters<'_, '_, '_>, class: Class) -> Option<Json> {
    let settings = &filters.settings.tracing;
    let trace = match filters.signals.traces(class) {
        Traces::Off => return None,
        Traces::Settings => &Trace::default(),
        Traces::Telemetry(trace) => trace,
    };
    let tags: Vec<Value> = tags(filters, trace).into_values().collect();
    let sampling = trace
        .sampling
        .or(settings.sampling)
        .unwrap_or_else(|| default_sampling(filters));
    let mut tracing = json!({
        "clientSampling": {"value": 100},
        "customTags": tags,
        "overallSampling": {"value": 100},
        "randomSampling": percent(sampling),
    });
    if let Some(length) = trace.max_path_tag_length.or(settings.max_path_tag_length) {
        tracing["maxPathTagLength"] = length.into();
    }
    if let Some(provider) = &trace.provider {
        tracing["provider"] = Value::clone(provider);
        if class == Class::Gateway {
            tracing["spawnUpstreamSpan"] = true.into();
        }
    }
    Some(Json::new(tracing))
}

/// How identifiers of requests are made, and whether they decide what is traced.
pub fn request_id(filters: &Filters<'_, '_, '_>, class: Class) -> Json {
    match filters.signals.traces(class) {
        Traces::Telemetry(trace) if !trace.by_request_id => fixed::REQUEST_ID_ALONE.clone(),
        _ => fixed::REQUEST_ID.clone(),
    }
}

/// One percent, unless istiod is told otherwise.
fn default_sampling(filters: &Filters<'_, '_, '_>) -> f64 {
    let written = filters.world.environment.variable("PILOT_TRACE_SAMPLING");
    written.and_then(|text| text.parse().ok()).unwrap_or(1.0)
}

/// A number as `type.v3.Percent`, whose zero is not written. A whole number has no fraction.
fn percent(value: f64) -> Value {
    if value == 0.0 {
        return json!({});
    }
    let whole = (0..=100).find(|whole| f64::from(*whole) == value);
    whole.map_or_else(|| json!({"value": value}), |whole| json!({"value": whole}))
}

/// The tags by name: Istio's own, and those of Telemetry or the settings.
fn tags(filters: &Filters<'_, '_, '_>, trace: &Trace) -> BTreeMap<Str, Value> {
    let mut tags = BTreeMap::new();
    for action in ["allow", "deny"] {
        for (part, key) in [("name", "effective_policy_id"), ("result", "engine_result")] {
            let name = Str::from(format!("istio.authorization.dry_run.{action}_policy.{part}"));
            let value = dry_run(&name, &format!("istio_dry_run_{action}_shadow_{key}"));
            tags.insert(name, value);
        }
    }
    if trace.istio_tags.unwrap_or(filters.settings.tracing.istio_tags) {
        for (name, value) in identity(filters) {
            tags.insert(name.into(), json!({"tag": name, "literal": {"value": value.as_str()}}));
        }
    }
    let added = if trace.custom_tags.is_empty() {
        &filters.settings.tracing.custom_tags
    } else {
        &trace.custom_tags
    };
    for (name, tag) in added {
        tags.insert(name.clone(), custom(name, tag));
    }
    tags
}

/// Who the proxy is.
fn identity(filters: &Filters<'_, '_, '_>) -> [(&'static str, Str); 5] {
    let proxy = filters.proxy;
    let label = |key: &str, default: &'static str| proxy.label(key).map_or(Str::new_static(default), Str::new);
    let cluster = filters.world.mesh.sources.clusters[usize::from(proxy.cluster)].as_str();
    let cluster = if cluster.is_empty() { "Kubernetes" } else { cluster };
    let mesh = filters.settings.mesh_id.clone();
    [
        (
            "istio.canonical_revision",
            label("service.istio.io/canonical-revision", "latest"),
        ),
        (
            "istio.canonical_service",
            label("service.istio.io/canonical-name", "unknown"),
        ),
        ("istio.cluster_id", Str::new(cluster)),
        ("istio.mesh_id", mesh.unwrap_or(Str::new_static("cluster.local"))),
        ("istio.namespace", Str::new(proxy.namespace)),
    ]
}

fn dry_run(tag: &str, key: &str) -> Value {
    json!({"tag": tag, "metadata": {
        "kind": {"request": {}},
        "metadataKey": {"key": "envoy.filters.http.rbac", "path": [{"key": key}]},
    }})
}

fn custom(name: &str, tag: &Tag) -> Value {
    let with_default = |named: &str, default: &str| {
        if default.is_empty() {
            json!({"name": named})
        } else {
            json!({"name": named, "defaultValue": default})
        }
    };
    match tag {
        Tag::Literal(value) => json!({"tag": name, "literal": {"value": value.as_str()}}),
        Tag::Environment(variable, default) => json!({"tag": name, "environment": with_default(variable, default)}),
        Tag::Format(format) => json!({"tag": name, "value": format.as_str()}),
        Tag::Header(header, default) => json!({"tag": name, "requestHeader": with_default(header, default)}),
    }
}
