//! The `tracing` of connection managers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::{Filters, fixed};
use crate::envoy::message::{Json, Percent, Str, Tracing};
use crate::envoy::pods::Role;
use crate::envoy::proxy_settings::Tag;
use crate::envoy::telemetry::{Class, Trace, Traces};

/// Sampling and tags of a proxy: as Telemetry says, else by the proxy's settings.
pub fn tracing(filters: &Filters<'_, '_, '_>, class: Class) -> Option<Tracing> {
    let settings = &filters.settings.tracing;
    let trace = match filters.signals.traces(class) {
        Traces::Off => return None,
        Traces::Settings => &Trace::default(),
        Traces::Telemetry(trace) => trace,
    };
    let sampling = trace
        .sampling
        .or(settings.sampling)
        .unwrap_or_else(|| default_sampling(filters));
    let all = Some(Percent { value: 100.0 });
    Some(Tracing {
        client_sampling: all,
        custom_tags: tags(filters, trace).into_values().collect(),
        max_path_tag_length: trace.max_path_tag_length.or(settings.max_path_tag_length),
        overall_sampling: all,
        provider: trace.provider.clone(),
        random_sampling: Some(Percent { value: sampling }),
        spawn_upstream_span: (trace.provider.is_some() && class == Class::Gateway).then_some(true),
    })
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

/// The tags by name: Istio's own, and those of Telemetry or the settings.
fn tags(filters: &Filters<'_, '_, '_>, trace: &Trace) -> BTreeMap<Str, Json> {
    let mut tags: BTreeMap<Str, Json> = DRY_RUN_TAGS.iter().cloned().collect();
    if trace.istio_tags.unwrap_or(filters.settings.tracing.istio_tags) {
        for (name, value) in identity(filters) {
            tags.insert(
                name.into(),
                Json::new(json!({"tag": name, "literal": {"value": value.as_str()}})),
            );
        }
        if filters.proxy.role == Some(Role::Waypoint) {
            tags.extend(PEER_TAGS.iter().cloned());
        }
    }
    let added = if trace.custom_tags.is_empty() {
        &filters.settings.tracing.custom_tags
    } else {
        &trace.custom_tags
    };
    for (name, tag) in added {
        tags.insert(name.clone(), Json::new(custom(name, tag)));
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

/// What a policy in dry run would have done. Every proxy has them.
static DRY_RUN_TAGS: LazyLock<Vec<(Str, Json)>> = LazyLock::new(|| {
    let parts = [("name", "effective_policy_id"), ("result", "engine_result")];
    let of_action = |action| {
        parts.map(|(part, key)| {
            let name = Str::from(format!("istio.authorization.dry_run.{action}_policy.{part}"));
            let key = format!("istio_dry_run_{action}_shadow_{key}");
            let metadata = json!({"kind": {"request": {}}, "metadataKey": {"key": "envoy.filters.http.rbac", "path": [{"key": key}]}});
            let tag = Json::new(json!({"tag": name.as_str(), "metadata": metadata}));
            (name, tag)
        })
    };
    ["allow", "deny"].into_iter().flat_map(of_action).collect()
});

/// Who calls and who answers, as a waypoint finds out.
static PEER_TAGS: LazyLock<Vec<(Str, Json)>> = LazyLock::new(|| {
    let parts = [
        ("app", "app"),
        ("app_version", "version"),
        ("canonical_revision", "revision"),
        ("canonical_service", "service"),
        ("cluster_id", "cluster"),
        ("instance_name", "name"),
        ("namespace", "namespace"),
        ("workload", "workload"),
        ("workload_type", "type"),
    ];
    let of_peer = |(end, peer): (&str, &str)| {
        parts.map(|(part, field)| {
            let name = Str::from(format!("istio.{end}_{part}"));
            let value = format!("%FILTER_STATE({peer}:FIELD:{field})%");
            let tag = Json::new(json!({"tag": name.as_str(), "value": value}));
            (name, tag)
        })
    };
    let ends = [("source", "downstream_peer_obj"), ("destination", "upstream_peer_obj")];
    ends.into_iter().flat_map(of_peer).collect()
});

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
