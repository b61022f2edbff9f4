//! The routes of inbound chains, which come with the chain.

use super::ports::InboundPort;
use crate::envoy::environment::{Environment, envoy_duration};
use crate::envoy::fixed::fixed;
use crate::envoy::message::{
    Decorator, RetryPolicy, Route, RouteAction, RouteConfiguration, RouteMatch, Str, VirtualHost,
};
use crate::mesh::Protocol;

fixed! {
    /// Streams may last as long as they like.
    UNLIMITED = {"grpcTimeoutHeaderMax": "0s", "maxStreamDuration": "0s"};
}

/// The route configuration of a port.
pub fn of_port(environment: &Environment<'_, '_>, port: &InboundPort<'_, '_>, cluster: &Str) -> RouteConfiguration {
    let retried = !matches!(port.protocol, Protocol::Grpc | Protocol::GrpcWeb);
    let retry_policy = retried.then(|| retry_policy(environment)).flatten();
    RouteConfiguration {
        origin: port.origin.clone(),
        ..configuration(cluster, &port.host, port.service_port, retry_policy)
    }
}

/// The route configuration of ports that nothing names.
pub fn passthrough(environment: &Environment<'_, '_>, cluster: &Str) -> RouteConfiguration {
    configuration(cluster, "", 0, retry_policy(environment))
}

fn configuration(cluster: &Str, host: &str, port: u32, retry_policy: Option<RetryPolicy>) -> RouteConfiguration {
    let route = Route {
        name: Str::new_static("default"),
        decorator: Some(Decorator {
            operation: Str::from(format!("{host}:{port}/*")),
        }),
        r#match: RouteMatch {
            prefix: Some(Str::new_static("/")),
            ..RouteMatch::default()
        },
        route: Some(Box::new(RouteAction {
            cluster: cluster.clone(),
            max_stream_duration: Some(UNLIMITED.clone()),
            retry_policy,
            timeout: Str::new_static("0s"),
            ..RouteAction::default()
        })),
        ..Route::default()
    };
    RouteConfiguration {
        name: cluster.clone(),
        validate_clusters: Some(false),
        virtual_hosts: vec![VirtualHost {
            name: Str::from(format!("inbound|http|{port}")),
            domains: vec![Str::new_static("*")],
            routes: vec![route],
            ..VirtualHost::default()
        }],
        ..RouteConfiguration::default()
    }
}

/// `defaultInboundHttpRetryPolicy`, or two attempts where the application closed the connection unasked.
fn retry_policy(environment: &Environment<'_, '_>) -> Option<RetryPolicy> {
    let Some(written) = environment.config.default_inbound_http_retry_policy.as_deref() else {
        return Some(RetryPolicy {
            num_retries: Some(2),
            retry_on: Str::new_static("reset-before-request"),
            ..RetryPolicy::default()
        });
    };
    let attempts = written.attempts.map_or(2, |attempts| attempts.value);
    if attempts <= 0 {
        return None;
    }
    let on = written.retry_on.filter(|on| !on.is_empty());
    Some(RetryPolicy {
        num_retries: u32::try_from(attempts).ok(),
        per_try_timeout: written
            .per_try_timeout
            .map_or(Str::default(), |timeout| envoy_duration(timeout.as_str())),
        retry_on: on.map_or(Str::new_static("reset-before-request"), |on| Str::new(on.as_str())),
        ..RetryPolicy::default()
    })
}
