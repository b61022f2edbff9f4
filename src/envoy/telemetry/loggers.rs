//! Providers of access logs as Envoy's loggers.

use std::sync::Arc;

use serde_json::{Value, json};

use super::formats;
use crate::envoy::World;
use crate::envoy::message::{AccessLog, Str};
use crate::envoy::providers::{cluster_of, provider};
use crate::model::mesh_config::{
    EnvoyFileAccessLogProvider, EnvoyHttpGrpcV3LogProvider, EnvoyOpenTelemetryLogProvider, EnvoyTcpGrpcV3LogProvider,
};
use crate::model::{MeshConfig, Spanned, Text};

/// What Istio's filters found out about the peers.
const PEERS: [&str; 4] = [
    "wasm.upstream_peer",
    "wasm.upstream_peer_id",
    "wasm.downstream_peer",
    "wasm.downstream_peer_id",
];

/// The logger of a provider; `None` if there is no such provider, or it writes no logs. Istio brings one of its own.
pub(super) fn logger(world: &World<'_, '_>, name: &str) -> Option<AccessLog> {
    let Some(provider) = provider(world, name) else {
        return (name == "envoy").then(|| file("/dev/stdout", &formats::text("")));
    };
    if let Some(it) = provider.envoy_file_access_log.as_deref() {
        return Some(of_file(it));
    }
    if let Some(it) = provider.envoy_http_als.as_deref() {
        return http_service(world, it);
    }
    if let Some(it) = provider.envoy_tcp_als.as_deref() {
        return tcp_service(world, it);
    }
    open_telemetry(world, provider.envoy_otel_als.as_deref()?)
}

/// `accessLogFile`, in the format of the mesh.
pub(super) fn mesh_file(config: &MeshConfig<'_>, path: &str) -> AccessLog {
    let written = config.access_log_format.map_or("", |format| format.as_str());
    let is_json = config
        .access_log_encoding
        .is_some_and(|encoding| encoding.as_str() == "JSON");
    let format = if is_json {
        formats::json(serde_json::from_str(written).ok())
    } else {
        formats::text(written)
    };
    file(path, &format)
}

/// The service of the bootstrap that `enableEnvoyAccessLogService` speaks of.
pub(super) fn mesh_service(kind: &str) -> AccessLog {
    let call = json!({"envoyGrpc": {"clusterName": "envoy_accesslog_service"}});
    let common = common(&format!("{kind}_envoy_accesslog"), &call, &[]);
    grpc(kind, json!({"commonConfig": common}))
}

/// The filter by an expression.
pub(super) fn expression(expression: &str) -> Value {
    json!({"extensionFilter": {
        "name": "envoy.access_loggers.extension_filters.cel",
        "typedConfig": {
            "@type": "type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter",
            "expression": expression,
        },
    }})
}

fn of_file(provider: &EnvoyFileAccessLogProvider<'_>) -> AccessLog {
    let written = provider.log_format.as_deref();
    let labels = written.and_then(|format| format.labels.as_ref());
    let text = written.and_then(|format| format.text);
    let mut format = match labels {
        Some(labels) => formats::json(Some(formats::value(&labels.value))),
        None => formats::text(text.map_or("", |text| text.as_str())),
    };
    if provider.omit_empty_values.is_some_and(|flag| flag.value) {
        format["omitEmptyValues"] = Value::Bool(true);
    }
    let path = provider.path.filter(|path| !path.is_empty());
    file(path.map_or("/dev/stdout", |path| path.as_str()), &format)
}

fn file(path: &str, format: &Value) -> AccessLog {
    let config = json!({
        "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog",
        "logFormat": format,
        "path": path,
    });
    log("envoy.access_loggers.file", config)
}

fn http_service(world: &World<'_, '_>, provider: &EnvoyHttpGrpcV3LogProvider<'_>) -> Option<AccessLog> {
    let call = call(world, provider.service, provider.port)?;
    let name = named(provider.log_name, "http_envoy_accesslog");
    let mut config = json!({"commonConfig": common(name, &call, &provider.filter_state_objects_to_log)});
    let lists = [
        (
            "additionalRequestHeadersToLog",
            &provider.additional_request_headers_to_log,
        ),
        (
            "additionalResponseHeadersToLog",
            &provider.additional_response_headers_to_log,
        ),
        (
            "additionalResponseTrailersToLog",
            &provider.additional_response_trailers_to_log,
        ),
    ];
    for (key, headers) in lists.into_iter().filter(|(_, headers)| !headers.is_empty()) {
        config[key] = headers.iter().map(|header| json!(header.as_str())).collect();
    }
    Some(grpc("http", config))
}

fn tcp_service(world: &World<'_, '_>, provider: &EnvoyTcpGrpcV3LogProvider<'_>) -> Option<AccessLog> {
    let call = call(world, provider.service, provider.port)?;
    let name = named(provider.log_name, "tcp_envoy_accesslog");
    Some(grpc(
        "tcp",
        json!({"commonConfig": common(name, &call, &provider.filter_state_objects_to_log)}),
    ))
}

fn open_telemetry(world: &World<'_, '_>, provider: &EnvoyOpenTelemetryLogProvider<'_>) -> Option<AccessLog> {
    let call = call(world, provider.service, provider.port)?;
    let format = provider.log_format.as_deref();
    let text = format.and_then(|format| format.text).filter(|text| !text.is_empty());
    let body = text.map_or(formats::TEXT, |text| text.as_str());
    let mut config = json!({
        "@type": "type.googleapis.com/envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig",
        "commonConfig": common(named(provider.log_name, "otel_envoy_accesslog"), &call, &[]),
        "disableBuiltinLabels": true,
        "body": {"stringValue": body},
    });
    let labels = format.and_then(|format| format.labels.as_ref());
    let labels = labels.map(|labels| formats::value(&labels.value));
    let values: Vec<Value> = (labels.as_ref().and_then(Value::as_object).into_iter().flatten())
        .map(|(key, value)| json!({"key": key, "value": {"stringValue": value}}))
        .collect();
    if !values.is_empty() {
        config["attributes"] = json!({"values": values});
    }
    Some(log("envoy.access_loggers.open_telemetry", config))
}

fn common(name: &str, call: &Value, filter_states: &[Text<'_>]) -> Value {
    let states: Vec<&str> = if filter_states.is_empty() {
        PEERS.to_vec()
    } else {
        filter_states.iter().map(Text::as_str).collect()
    };
    json!({
        "logName": name,
        "grpcService": call,
        "transportApiVersion": "V3",
        "filterStateObjectsToLog": states,
    })
}

fn call(world: &World<'_, '_>, service: Option<Text<'_>>, port: Option<Spanned<i64>>) -> Option<Value> {
    let (host, cluster) = cluster_of(world, service?.as_str(), port.map_or(0, |port| port.value))?;
    Some(json!({"envoyGrpc": {"authority": host, "clusterName": cluster}}))
}

/// A logger over gRPC.
fn grpc(kind: &str, mut config: Value) -> AccessLog {
    let message = if kind == "http" {
        "HttpGrpcAccessLogConfig"
    } else {
        "TcpGrpcAccessLogConfig"
    };
    config["@type"] = json!(format!(
        "type.googleapis.com/envoy.extensions.access_loggers.grpc.v3.{message}"
    ));
    log(&format!("envoy.access_loggers.{kind}_grpc"), config)
}

fn log(name: &str, config: Value) -> AccessLog {
    AccessLog {
        name: Str::new(name),
        filter: None,
        typed_config: Some(Arc::new(config)),
    }
}

fn named<'t>(written: Option<Text<'t>>, default: &'t str) -> &'t str {
    written
        .filter(|name| !name.is_empty())
        .map_or(default, |name| name.as_str())
}
