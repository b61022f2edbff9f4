//! Providers of traces as Envoy's tracers.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::envoy::World;
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::{Json, Str};
use crate::envoy::providers::{cluster_of, provider};
use crate::model::mesh_config::{
    DatadogTracingProvider, MeshConfigExtensionProviderHttpHeader, OpenTelemetryTracingProvider,
    SkyWalkingTracingProvider, ZipkinTracingProvider,
};
use crate::model::{Spanned, Text};

/// A tracer.
pub(super) struct Tracer {
    pub(super) provider: Json,
    pub(super) max_path_tag_length: Option<u32>,
}

/// The tracer of a provider; `None` if there is no such provider, it knows no traces, or its service is unknown.
pub(super) fn tracer(world: &World<'_, '_>, name: &str) -> Option<Tracer> {
    let provider = provider(world, name)?;
    let (config, longest) = if let Some(it) = provider.zipkin.as_deref() {
        (zipkin(world, it)?, it.max_tag_length)
    } else if let Some(it) = provider.opentelemetry.as_deref() {
        (open_telemetry(world, it)?, it.max_tag_length)
    } else if let Some(it) = provider.datadog.as_deref() {
        (datadog(world, it)?, it.max_tag_length)
    } else {
        (skywalking(world, provider.skywalking.as_deref()?)?, None)
    };
    let longest = longest.and_then(|length| u32::try_from(length.value).ok());
    Some(Tracer {
        provider: Arc::new(config),
        max_path_tag_length: longest.filter(|length| *length != 0),
    })
}

fn zipkin(world: &World<'_, '_>, provider: &ZipkinTracingProvider<'_>) -> Option<Value> {
    let (host, cluster) = service(world, provider.service, provider.port)?;
    let path = written(provider.path).unwrap_or("/api/v2/spans");
    let mut config = json!({
        "@type": "type.googleapis.com/envoy.config.trace.v3.ZipkinConfig",
        "collectorEndpointVersion": "HTTP_JSON",
        "collectorService": http_service(&host, &cluster, path, provider.timeout, &provider.headers),
        "sharedSpanContext": false,
    });
    if !provider.enable64bit_trace_id.is_some_and(|short| short.value) {
        config["traceId128bit"] = Value::Bool(true);
    }
    if let Some(option) = written(provider.trace_context_option).filter(|option| *option != "USE_B3") {
        config["traceContextOption"] = json!(option);
    }
    Some(named("zipkin", &config))
}

fn open_telemetry(world: &World<'_, '_>, provider: &OpenTelemetryTracingProvider<'_>) -> Option<Value> {
    let (host, cluster) = service(world, provider.service, provider.port)?;
    let mut config = json!({"@type": "type.googleapis.com/envoy.config.trace.v3.OpenTelemetryConfig"});
    if let Some(http) = provider.http.as_deref() {
        let path = written(http.path).unwrap_or_default();
        config["httpService"] = http_service(&host, &cluster, path, http.timeout, &http.headers);
    } else {
        let mut call = json!({"envoyGrpc": {"authority": host, "clusterName": cluster}});
        if let Some(grpc) = provider.grpc.as_deref() {
            if let Some(timeout) = grpc.timeout {
                call["timeout"] = json!(envoy_duration(timeout.as_str()));
            }
            if !grpc.initial_metadata.is_empty() {
                call["initialMetadata"] = grpc.initial_metadata.iter().map(header).collect();
            }
        }
        config["grpcService"] = call;
    }
    if let Some(detectors) = provider.resource_detectors.as_deref() {
        let wanted = [
            ("environment", "Environment", detectors.environment.is_some()),
            ("dynatrace", "Dynatrace", detectors.dynatrace.is_some()),
        ];
        let wanted = wanted.into_iter().filter(|(.., wanted)| *wanted);
        config["resourceDetectors"] = wanted.map(|(name, message, _)| detector(name, message)).collect();
    }
    Some(named("opentelemetry", &config))
}

fn detector(name: &str, message: &str) -> Value {
    json!({
        "name": format!("envoy.tracers.opentelemetry.resource_detectors.{name}"),
        "typedConfig": {"@type": format!(
            "type.googleapis.com/envoy.extensions.tracers.opentelemetry.resource_detectors.v3.{message}ResourceDetectorConfig"
        )},
    })
}

fn datadog(world: &World<'_, '_>, provider: &DatadogTracingProvider<'_>) -> Option<Value> {
    let (host, cluster) = service(world, provider.service, provider.port)?;
    let config = json!({
        "@type": "type.googleapis.com/envoy.config.trace.v3.DatadogConfig",
        "collectorCluster": cluster,
        "collectorHostname": host,
    });
    Some(named("datadog", &config))
}

fn skywalking(world: &World<'_, '_>, provider: &SkyWalkingTracingProvider<'_>) -> Option<Value> {
    let (host, cluster) = service(world, provider.service, provider.port)?;
    let mut config = json!({
        "@type": "type.googleapis.com/envoy.config.trace.v3.SkyWalkingConfig",
        "grpcService": {"envoyGrpc": {"authority": host, "clusterName": cluster}},
    });
    if let Some(token) = written(provider.access_token) {
        config["clientConfig"] = json!({"backendToken": token});
    }
    Some(named("skywalking", &config))
}

fn service(world: &World<'_, '_>, service: Option<Text<'_>>, port: Option<Spanned<i64>>) -> Option<(Str, Str)> {
    cluster_of(world, service?.as_str(), port.map_or(0, |port| port.value))
}

fn http_service(
    host: &str,
    cluster: &str,
    path: &str,
    timeout: Option<Text<'_>>,
    headers: &[MeshConfigExtensionProviderHttpHeader<'_>],
) -> Value {
    let timeout = timeout.map_or(Str::new_static("5s"), |timeout| envoy_duration(timeout.as_str()));
    let mut service = json!({
        "httpUri": {"uri": format!("http://{host}{path}"), "cluster": cluster, "timeout": timeout},
    });
    if !headers.is_empty() {
        let added = headers.iter().map(|written| json!({"header": header(written)}));
        service["requestHeadersToAdd"] = added.collect();
    }
    service
}

/// A header with its value; one from istiod's environment is unknown.
fn header(header: &MeshConfigExtensionProviderHttpHeader<'_>) -> Value {
    json!({
        "key": written(header.name).unwrap_or_default(),
        "value": written(header.value).unwrap_or_default(),
    })
}

fn named(name: &str, config: &Value) -> Value {
    json!({"name": format!("envoy.tracers.{name}"), "typedConfig": config})
}

fn written(text: Option<Text<'_>>) -> Option<&str> {
    text.map(|text| text.as_str()).filter(|text| !text.is_empty())
}
