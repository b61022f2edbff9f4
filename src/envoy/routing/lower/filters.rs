//! Retries, faults and cross-origin rules.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::envoy::environment::envoy_duration;
use crate::envoy::fixed::{PREVIOUS_HOSTS, PREVIOUS_PRIORITIES};
use crate::envoy::message::{
    FaultAbort, FaultDelay, FractionalPercent, HttpFault, Json, RetryBackOff, RetryPolicy, Str,
};
use crate::envoy::routing::model::Retries;
use crate::model::istio::{self, CorsPolicy, HttpFaultInjection, HttpRetry, StringMatch};
use crate::model::{Spanned, Text};
use crate::values::duration::Duration;

/// What Istio retries where nothing is said.
const RETRY_ON: &str = "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes";

/// Where a rule says nothing, the mesh does; no attempts is never.
pub(super) fn retries(written: Option<&HttpRetry<'_>>) -> Retries {
    let Some(written) = written else {
        return Retries::Mesh;
    };
    policy(written).map_or(Retries::Never, |policy| Retries::Policy(Box::new(policy)))
}

/// Istio's own policy.
pub(in crate::envoy::routing) fn default_policy() -> RetryPolicy {
    RetryPolicy {
        host_selection_retry_max_attempts: Str::new_static("5"),
        num_retries: Some(2),
        retry_host_predicate: vec![PREVIOUS_HOSTS.clone()],
        retry_on: Str::new_static(RETRY_ON),
        ..RetryPolicy::default()
    }
}

/// A policy as it is written, over Istio's own (catalogue: routes, 47 and 48).
pub(in crate::envoy::routing) fn policy(written: &HttpRetry<'_>) -> Option<RetryPolicy> {
    let attempts = written
        .attempts
        .and_then(|attempts| u32::try_from(attempts.value).ok())
        .unwrap_or_default();
    if attempts == 0 {
        return None;
    }
    let mut policy = default_policy();
    policy.num_retries = Some(attempts);
    if let Some(retry_on) = written.retry_on.filter(|retry_on| !retry_on.is_empty()) {
        (policy.retry_on, policy.retriable_status_codes) = retry_on_parts(retry_on.as_str());
    }
    if let Some(timeout) = written.per_try_timeout {
        policy.per_try_timeout = envoy_duration(timeout.as_str());
    }
    if written.retry_remote_localities.is_some_and(|remote| remote.value) {
        policy.retry_priority = Some(PREVIOUS_PRIORITIES.clone());
    }
    if written.retry_ignore_previous_hosts.is_some_and(|ignore| !ignore.value) {
        policy.retry_host_predicate.clear();
    }
    policy.retry_back_off = written.backoff.map(|backoff| RetryBackOff {
        base_interval: envoy_duration(backoff.as_str()),
        max_interval: Str::default(),
    });
    Some(policy)
}

/// Numbers are status codes, the rest are conditions.
fn retry_on_parts(text: &str) -> (Str, Vec<u32>) {
    let mut conditions: Vec<&str> = Vec::new();
    let mut codes = Vec::new();
    for part in text.split(',').map(str::trim) {
        match part.parse::<u32>() {
            Ok(code) => codes.push(code),
            Err(_) => conditions.push(part),
        }
    }
    let mut conditions = conditions.join(",");
    if !codes.is_empty() && !conditions.contains("retriable-status-codes") {
        conditions.push_str(",retriable-status-codes");
    }
    (Str::from(conditions), codes)
}

/// Delays and aborts. A delay always has a share, an abort only one that is written (catalogue: routes, 45).
pub(super) fn fault(written: &HttpFaultInjection<'_>) -> HttpFault {
    HttpFault {
        abort: written.abort.as_deref().map(abort),
        delay: written.delay.as_deref().map(delay),
    }
}

fn delay(written: &istio::FaultDelay<'_>) -> FaultDelay {
    let whole = written
        .percent
        .map_or(0, |percent| u32::try_from(percent.value).unwrap_or_default());
    FaultDelay {
        fixed_delay: written
            .fixed_delay
            .map_or(Str::default(), |delay| envoy_duration(delay.as_str())),
        percentage: Some(share(written.percentage.as_ref()).unwrap_or_else(|| FractionalPercent::whole(whole))),
    }
}

fn abort(written: &istio::FaultAbort<'_>) -> FaultAbort {
    FaultAbort {
        http_status: written
            .http_status
            .and_then(|status| u32::try_from(status.value).ok())
            .unwrap_or_default(),
        grpc_status: written.grpc_status.and_then(|status| grpc_status(status.as_str())),
        percentage: share(written.percentage.as_ref()),
    }
}

fn share(written: Option<&istio::Percent>) -> Option<FractionalPercent> {
    written.map(|percent| FractionalPercent::exact(percent.value.map_or(0.0, |value| value.value)))
}

/// The number of a status of gRPC.
fn grpc_status(name: &str) -> Option<u32> {
    const NAMES: [&str; 17] = [
        "OK",
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ];
    (0..)
        .zip(NAMES)
        .find(|(_, known)| *known == name)
        .map(|(number, _)| number)
}

/// Cross-origin rules as Envoy's filter takes them (catalogue: routes, 46).
pub(super) fn cors(written: &CorsPolicy<'_>) -> Json {
    let mut policy = Map::new();
    policy.insert(
        "@type".into(),
        "type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy".into(),
    );
    let origins: Vec<Value> = if written.allow_origins.is_empty() {
        written
            .allow_origin
            .iter()
            .map(|origin| json!({"exact": origin.as_str()}))
            .collect()
    } else {
        written.allow_origins.iter().map(origin).collect()
    };
    if !origins.is_empty() {
        policy.insert("allowOriginStringMatch".into(), origins.into());
    }
    let lists = [
        ("allowMethods", &written.allow_methods),
        ("allowHeaders", &written.allow_headers),
        ("exposeHeaders", &written.expose_headers),
    ];
    for (name, list) in lists {
        put(&mut policy, name, joined(list));
    }
    put(
        &mut policy,
        "maxAge",
        written.max_age.map(|age| seconds(age.as_str())).unwrap_or_default(),
    );
    if let Some(Spanned { value, .. }) = written.allow_credentials {
        policy.insert("allowCredentials".into(), value.into());
    }
    policy.insert("filterEnabled".into(), json!({"defaultValue": {"numerator": 100}}));
    let ignores = written
        .unmatched_preflights
        .is_some_and(|action| action.as_str() == "IGNORE");
    policy.insert("forwardNotMatchingPreflights".into(), (!ignores).into());
    Arc::new(policy.into())
}

fn put(policy: &mut Map<String, Value>, name: &str, text: String) {
    if !text.is_empty() {
        policy.insert(name.into(), text.into());
    }
}

fn joined(list: &[Text<'_>]) -> String {
    list.iter().map(Text::as_str).collect::<Vec<_>>().join(",")
}

fn seconds(text: &str) -> String {
    Duration::parse(text)
        .map(|duration| (duration.0 / Duration::SECOND.0).to_string())
        .unwrap_or_default()
}

fn origin(condition: &StringMatch<'_>) -> Value {
    match (condition.exact, condition.prefix, condition.regex) {
        (Some(exact), _, _) => json!({"exact": exact.as_str()}),
        (None, Some(prefix), _) => json!({"prefix": prefix.as_str()}),
        (None, None, Some(regex)) => json!({"safeRegex": {"regex": regex.as_str()}}),
        (None, None, None) => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_among_the_conditions_are_status_codes() {
        assert_eq!(
            retry_on_parts("5xx, 503"),
            (Str::new("5xx,retriable-status-codes"), vec![503])
        );
        assert_eq!(
            retry_on_parts("429,503"),
            (Str::new(",retriable-status-codes"), vec![429, 503])
        );
        assert_eq!(retry_on_parts("gateway-error"), (Str::new("gateway-error"), Vec::new()));
    }
}
