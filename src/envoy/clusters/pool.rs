//! Connection pools, keepalive and outlier detection.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::envoy::environment::{Environment, envoy_duration};
use crate::envoy::message::{
    CircuitBreakers, Cluster, CommonHttpProtocolOptions, OutlierDetection, Percent, RetryBudget, Str,
};
use crate::model::istio::{self, ConnectionKeepalive, ConnectionPoolSettings, HttpSettings, TcpKeepalive, TcpSettings};
use crate::model::{Spanned, Text};

/// What a connection pool and a retry budget say of a cluster whose protocol is chosen already: thresholds, timeouts,
/// limits of HTTP, keepalive. Outbound and inbound clusters take them alike.
pub fn apply_connection_pool(
    environment: &Environment<'_, '_>,
    cluster: &mut Cluster,
    pool: Option<&ConnectionPoolSettings<'_>>,
    retry_budget: Option<&istio::RetryBudget<'_>>,
) {
    let tcp = pool.and_then(|pool| pool.tcp.as_deref());
    let http = pool.and_then(|pool| pool.http.as_deref());
    cluster.circuit_breakers = Some(thresholds(tcp, http, retry_budget));
    cluster.connect_timeout = tcp.and_then(|tcp| tcp.connect_timeout).map_or_else(
        || environment.connect_timeout.clone(),
        |timeout| envoy_duration(timeout.as_str()),
    );
    let own = tcp.and_then(|tcp| tcp.tcp_keepalive.as_deref());
    apply_keepalive(cluster, environment.config.tcp_keepalive.as_deref(), own);
    apply_http_limits(cluster, tcp, http);
}

fn positive(number: Option<Spanned<i64>>) -> Option<u32> {
    number
        .and_then(|number| u32::try_from(number.value).ok())
        .filter(|number| *number > 0)
}

fn duration(text: Option<Text<'_>>) -> Option<Str> {
    text.map(|text| envoy_duration(text.as_str()))
}

fn thresholds(
    tcp: Option<&TcpSettings<'_>>,
    http: Option<&HttpSettings<'_>>,
    retry_budget: Option<&istio::RetryBudget<'_>>,
) -> CircuitBreakers {
    let mut breakers = CircuitBreakers::unlimited();
    for threshold in &mut breakers.thresholds {
        let limits = [
            (&mut threshold.max_connections, tcp.and_then(|tcp| tcp.max_connections)),
            (
                &mut threshold.max_pending_requests,
                http.and_then(|http| http.http1_max_pending_requests),
            ),
            (
                &mut threshold.max_requests,
                http.and_then(|http| http.http2_max_requests),
            ),
            (&mut threshold.max_retries, http.and_then(|http| http.max_retries)),
        ];
        for (limit, number) in limits {
            *limit = positive(number).or(*limit);
        }
        threshold.retry_budget = retry_budget.map(budget);
    }
    breakers
}

fn budget(budget: &istio::RetryBudget<'_>) -> RetryBudget {
    let concurrency = budget
        .min_retry_concurrency
        .and_then(|number| u32::try_from(number.value).ok());
    RetryBudget {
        budget_percent: Some(Percent {
            value: budget.percent.map_or(20.0, |percent| percent.value),
        }),
        min_retry_concurrency: Some(concurrency.unwrap_or(3)),
    }
}

/// The rule's keepalive over the mesh's, field by field.
fn apply_keepalive(cluster: &mut Cluster, mesh: Option<&TcpKeepalive<'_>>, own: Option<&TcpKeepalive<'_>>) {
    let mut keepalive = Map::new();
    for settings in [mesh, own].into_iter().flatten() {
        let seconds = |text: Option<Text<'_>>| {
            let duration = text.and_then(|text| crate::values::duration::Duration::parse(text.as_str()))?;
            u32::try_from(duration.0 / crate::values::duration::Duration::SECOND.0).ok()
        };
        let fields = [
            ("keepaliveProbes", positive(settings.probes)),
            ("keepaliveTime", seconds(settings.time)),
            ("keepaliveInterval", seconds(settings.interval)),
        ];
        keepalive.extend(
            fields
                .into_iter()
                .filter_map(|(name, number)| Some((name.to_owned(), number?.into()))),
        );
    }
    if mesh.or(own).is_some() {
        cluster.upstream_connection_options = Some(Arc::new(json!({"tcpKeepalive": Value::Object(keepalive)})));
    }
}

fn apply_http_limits(cluster: &mut Cluster, tcp: Option<&TcpSettings<'_>>, http: Option<&HttpSettings<'_>>) {
    let idle = http
        .and_then(|http| http.idle_timeout)
        .or(tcp.and_then(|tcp| tcp.idle_timeout));
    let longest = tcp.and_then(|tcp| tcp.max_connection_duration);
    let requests = http.and_then(|http| positive(http.max_requests_per_connection));
    let streams = http.and_then(|http| positive(http.max_concurrent_streams));
    let pings = http.and_then(|http| http.http2_keep_alive.as_deref());
    if idle.is_some() || longest.is_some() || requests.is_some() || streams.is_some() || pings.is_some() {
        let options = cluster.http();
        options.common_http_protocol_options = Some(CommonHttpProtocolOptions {
            idle_timeout: duration(idle),
            max_connection_duration: duration(longest),
            max_requests_per_connection: requests,
        });
        let explicit = options.explicit_http_config.as_mut();
        if let Some(http2) = explicit.and_then(|explicit| explicit.http2_protocol_options.as_mut()) {
            http2.max_concurrent_streams = streams;
            http2.connection_keepalive = pings.map(keepalive_pings);
        }
    }
    if http
        .and_then(|http| http.use_client_protocol)
        .is_some_and(|uses| uses.value)
    {
        cluster.http().set_downstream_protocol();
    }
}

fn keepalive_pings(pings: &ConnectionKeepalive<'_>) -> Arc<Value> {
    let fields = [("interval", pings.interval), ("timeout", pings.timeout)];
    let fields = fields
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), duration(text)?.as_str().into())));
    Arc::new(Value::Object(fields.collect()))
}

/// Takes bad endpoints out of a cluster, and says at which share of good ones that stops.
pub fn apply_outlier_detection(cluster: &mut Cluster, outlier: Option<&istio::OutlierDetection<'_>>) {
    let Some(outlier) = outlier else { return };
    let number = |number: Option<Spanned<i64>>| number.and_then(|number| u32::try_from(number.value).ok());
    let enforcing = |threshold: Option<u32>| threshold.map(|threshold| if threshold > 0 { 100 } else { 0 });
    let (errors, gateway_errors) = (
        number(outlier.consecutive5xx_errors),
        number(outlier.consecutive_gateway_errors),
    );
    let split = outlier.split_external_local_origin_errors.as_ref();
    let split = split.is_some_and(|split| split.value == crate::model::Value::Bool(true));
    let local = positive(outlier.consecutive_local_origin_failures).filter(|_| split);
    cluster.outlier_detection = Some(OutlierDetection {
        base_ejection_time: duration(outlier.base_ejection_time),
        consecutive_5xx: errors,
        consecutive_gateway_failure: gateway_errors,
        consecutive_local_origin_failure: local,
        enforcing_consecutive_5xx: enforcing(errors),
        enforcing_consecutive_gateway_failure: enforcing(gateway_errors),
        enforcing_consecutive_local_origin_failure: enforcing(local),
        enforcing_local_origin_success_rate: split.then_some(0),
        enforcing_success_rate: Some(0),
        interval: duration(outlier.interval),
        max_ejection_percent: positive(outlier.max_ejection_percent),
        split_external_local_origin_errors: split,
    });
    let healthy = outlier.min_health_percent.map_or(0, |percent| percent.value);
    let threshold = cluster
        .common_lb_config
        .get_or_insert_default()
        .healthy_panic_threshold
        .get_or_insert_default();
    threshold.value = f64::from(i32::try_from(healthy).unwrap_or_default());
    apply_error_codes(cluster, &outlier.outlier_detection_http_error_codes);
}

/// Responses that count as errors for outlier detection.
fn apply_error_codes(cluster: &mut Cluster, codes: &[Spanned<i64>]) {
    if codes.is_empty() {
        return;
    }
    let code = |code: &Spanned<i64>| json!({"httpResponseHeadersMatch": {"headers": [{"name": ":status", "stringMatch": {"exact": code.value.to_string()}}]}});
    let codes: Vec<Value> = codes.iter().map(code).collect();
    let matcher = match codes.as_slice() {
        [one] => one.clone(),
        several => json!({"orMatch": {"rules": several}}),
    };
    cluster.http().outlier_detection = Some(Arc::new(json!({"errorMatcher": matcher})));
}
