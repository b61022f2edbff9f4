//! The `tracing` of connection managers where Telemetry leaves it to the proxy's settings.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Filters;
use crate::envoy::message::{Json, Str};
use crate::envoy::proxy_settings::Tag;
use crate::envoy::telemetry::Class;

/// Sampling and tags of a proxy.
pub fn tracing(filters: &Filters<'_, '_, '_>, class: Class) -> Option<Json> {
    if let Some(tracing) = filters.signals.tracing(class) {
        return Some(tracing);
    }
    let settings = &filters.settings.tracing;
    let tags: Vec<Value> = tags(filters).into_values().collect();
    let mut tracing = json!({
        "clientSampling": {"value": 100},
        "customTags": tags,
        "overallSampling": {"value": 100},
        "randomSampling": percent(settings.sampling.unwrap_or(1.0)),
    });
    if let Some(length) = settings.max_path_tag_length {
        tracing["maxPathTagLength"] = length.into();
    }
    Some(Json::new(tracing))
}

/// A number as `type.v3.Percent`, whose zero is not written. A whole number has no fraction.
fn percent(value: f64) -> Value {
    if value == 0.0 {
        return json!({});
    }
    let whole = (0..=100).find(|whole| f64::from(*whole) == value);
    whole.map_or_else(|| json!({"value": value}), |whole| json!({"value": whole}))
}

/// The tags by name: Istio's own, and those of the settings.
pub fn tags(filters: &Filters<'_, '_, '_>) -> BTreeMap<Str, Value> {
    let mut tags = BTreeMap::new();
    for action in ["allow", "deny"] {
        for (part, key) in [("name", "effective_policy_id"), ("result", "engine_result")] {
            let name = Str::from(format!("istio.authorization.dry_run.{action}_policy.{part}"));
            let value = dry_run(&name, &format!("istio_dry_run_{action}_shadow_{key}"));
            tags.insert(name, value);
        }
    }
    if filters.settings.tracing.istio_tags {
        for (name, value) in identity(filters) {
            tags.insert(name.into(), json!({"tag": name, "literal": {"value": value.as_str()}}));
        }
    }
    for (name, tag) in &filters.settings.tracing.custom_tags {
        tags.insert(name.clone(), custom(name, tag));
    }
    tags
}

/// Who the proxy is (the recordings' world has no mesh ID but the trust domain).
fn identity(filters: &Filters<'_, '_, '_>) -> [(&'static str, Str); 5] {
    let (proxy, environment) = (filters.proxy, &filters.world.environment);
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
        (
            "istio.mesh_id",
            mesh.unwrap_or_else(|| environment.trust_domain.clone()),
        ),
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
        Tag::Header(header, default) => json!({"tag": name, "requestHeader": with_default(header, default)}),
    }
}
