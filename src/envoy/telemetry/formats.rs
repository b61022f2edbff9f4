//! The formats of access logs.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::model::Value as Written;

/// Istio's line of text.
pub(super) const TEXT: &str = "[%START_TIME%] \"%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%\" \
%RESPONSE_CODE% %RESPONSE_FLAGS% %RESPONSE_CODE_DETAILS% %CONNECTION_TERMINATION_DETAILS% \
\"%UPSTREAM_TRANSPORT_FAILURE_REASON%\" %BYTES_RECEIVED% %BYTES_SENT% %DURATION% \
%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% \"%REQ(X-FORWARDED-FOR)%\" \"%REQ(USER-AGENT)%\" \"%REQ(X-REQUEST-ID)%\" \
\"%REQ(:AUTHORITY)%\" \"%UPSTREAM_HOST%\" %UPSTREAM_CLUSTER_RAW% %UPSTREAM_LOCAL_ADDRESS% %DOWNSTREAM_LOCAL_ADDRESS% \
%DOWNSTREAM_REMOTE_ADDRESS% %REQUESTED_SERVER_NAME% %ROUTE_NAME%\n";

/// Istio's JSON.
static JSON: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "authority": "%REQ(:AUTHORITY)%",
        "bytes_received": "%BYTES_RECEIVED%",
        "bytes_sent": "%BYTES_SENT%",
        "connection_termination_details": "%CONNECTION_TERMINATION_DETAILS%",
        "downstream_local_address": "%DOWNSTREAM_LOCAL_ADDRESS%",
        "downstream_remote_address": "%DOWNSTREAM_REMOTE_ADDRESS%",
        "duration": "%DURATION%",
        "method": "%REQ(:METHOD)%",
        "path": "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%",
        "protocol": "%PROTOCOL%",
        "request_id": "%REQ(X-REQUEST-ID)%",
        "requested_server_name": "%REQUESTED_SERVER_NAME%",
        "response_code": "%RESPONSE_CODE%",
        "response_code_details": "%RESPONSE_CODE_DETAILS%",
        "response_flags": "%RESPONSE_FLAGS%",
        "route_name": "%ROUTE_NAME%",
        "start_time": "%START_TIME%",
        "upstream_cluster": "%UPSTREAM_CLUSTER_RAW%",
        "upstream_host": "%UPSTREAM_HOST%",
        "upstream_local_address": "%UPSTREAM_LOCAL_ADDRESS%",
        "upstream_service_time": "%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%",
        "upstream_transport_failure_reason": "%UPSTREAM_TRANSPORT_FAILURE_REASON%",
        "user_agent": "%REQ(USER-AGENT)%",
        "x_forwarded_for": "%REQ(X-FORWARDED-FOR)%",
    })
});

/// A line of text; Istio's for an empty one.
pub(super) fn text(format: &str) -> Value {
    let line = match format {
        "" => TEXT.to_owned(),
        format if format.ends_with('\n') => format.to_owned(),
        format => format!("{format}\n"),
    };
    with_formatters(json!({"textFormatSource": {"inlineString": line}}), &line)
}

/// JSON by its fields; Istio's for none.
pub(super) fn json(fields: Option<Value>) -> Value {
    let fields = fields
        .filter(|fields| fields.as_object().is_some_and(|fields| !fields.is_empty()))
        .unwrap_or_else(|| JSON.clone());
    let commands = fields.to_string();
    with_formatters(json!({"jsonFormat": fields, "jsonFormatOptions": {}}), &commands)
}

/// Commands that Envoy takes from extensions.
fn with_formatters(mut format: Value, commands: &str) -> Value {
    let extensions = [
        ("%REQ_WITHOUT_QUERY", "req_without_query", "ReqWithoutQuery"),
        ("%METADATA(", "metadata", "Metadata"),
        ("%CEL(", "cel", "Cel"),
    ];
    let used = extensions.iter().filter(|(command, ..)| commands.contains(command));
    let formatters: Vec<Value> = used
        .map(|(_, name, message)| {
            json!({
                "name": format!("envoy.formatter.{name}"),
                "typedConfig": {"@type": format!("type.googleapis.com/envoy.extensions.formatter.{name}.v3.{message}")},
            })
        })
        .collect();
    if !formatters.is_empty() {
        format["formatters"] = Value::Array(formatters);
    }
    format
}

/// A value of no fixed form as JSON.
pub(super) fn value(written: &Written<'_>) -> Value {
    match written {
        Written::Bool(value) => json!(value),
        Written::Int(value) => json!(value),
        Written::Float(value) => json!(value),
        Written::Text(text) => json!(text.as_str()),
        Written::List(list) => list.iter().map(|item| value(&item.value)).collect(),
        Written::Map(entries) => Value::Object(
            (entries.iter())
                .map(|(key, item)| (key.to_string(), value(&item.value)))
                .collect(),
        ),
    }
}
