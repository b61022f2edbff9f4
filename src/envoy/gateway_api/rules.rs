//! Rules of HTTPRoutes and GRPCRoutes, one for each of their matches.

use super::backends::{Referrer, shares};
use super::listeners::RouteKind;
use super::precedence::Precedence;
use super::{Context, filters, matches};
use crate::envoy::environment::envoy_duration;
use crate::envoy::fixed::PREVIOUS_HOSTS;
use crate::envoy::message::{Origin, RetryBackOff, RetryPolicy, Str};
use crate::envoy::routing::model::{
    Action, HeaderChanges, HttpMatch, HttpRule, Mirror, Redirect, Retries, Rewrite, WeightedDestination,
};
use crate::mesh::Object;
use crate::model::gateway_api::{
    GrpcBackendRef, GrpcRouteFilter, GrpcRouteRule, GrpcRouteSpec, HttpBackendRef, HttpRouteFilter, HttpRouteRetry,
    HttpRouteRule, HttpRouteSpec, HttpRouteTimeouts,
};
use crate::model::{Header, Text};
use crate::values::duration::Duration;

/// A rule and its place among others.
#[derive(Clone, Debug)]
pub struct RankedRule {
    /// The rule, with one match at most.
    pub rule: HttpRule,
    /// Its place.
    pub precedence: Precedence,
}

/// What filters of a rule or of a backend come to.
#[derive(Default)]
struct Filtered {
    headers: HeaderChanges,
    redirect: Option<Redirect>,
    rewrite: Option<Rewrite>,
    mirrors: Vec<Mirror>,
    cors: Option<crate::envoy::message::Json>,
}

/// The rules of an HTTPRoute; `None` where one of them is so wrong that the route counts for nothing.
pub fn of_http(
    context: &Context<'_, '_, '_>,
    route: Object<'_, '_, HttpRouteSpec<'_>>,
    in_mesh: bool,
) -> Option<Vec<RankedRule>> {
    let referrer = Referrer {
        header: route.header,
        kind: RouteKind::Http,
        in_mesh,
    };
    let mut all = Vec::new();
    for (place, rule) in route.rules.iter().enumerate() {
        let filtered = http_filters(context, &rule.filters, referrer)?;
        let action = match filtered.redirect.clone() {
            Some(redirect) => Action::Redirect(redirect),
            None => forward(http_destinations(context, &rule.backend_refs, referrer)?),
        };
        let base = HttpRule {
            name: rule_name(rule.name, route.header, place),
            action,
            headers: filtered.headers,
            timeout: timeout(rule),
            retries: retries(rule),
            mirrors: filtered.mirrors,
            rewrite: filtered.rewrite,
            cors: filtered.cors,
            origin: Origin::of(rule.span),
            ..HttpRule::default()
        };
        let ranked = matches::of_http(&rule.matches).into_iter();
        all.extend(ranked.map(|(condition, precedence)| RankedRule {
            rule: with_match(base.clone(), condition),
            precedence,
        }));
    }
    Some(all)
}

/// The rules of a GRPCRoute; `None` where one of them is so wrong that the route counts for nothing.
pub fn of_grpc(
    context: &Context<'_, '_, '_>,
    route: Object<'_, '_, GrpcRouteSpec<'_>>,
    in_mesh: bool,
) -> Option<Vec<RankedRule>> {
    let referrer = Referrer {
        header: route.header,
        kind: RouteKind::Grpc,
        in_mesh,
    };
    let mut all = Vec::new();
    for (place, rule) in route.rules.iter().enumerate() {
        let base = grpc_rule(context, rule, referrer, rule_name(rule.name, route.header, place))?;
        all.extend(
            matches::of_grpc(&rule.matches)
                .into_iter()
                .map(|(condition, precedence)| RankedRule {
                    rule: with_match(base.clone(), condition),
                    precedence,
                }),
        );
    }
    Some(all)
}

fn grpc_rule(
    context: &Context<'_, '_, '_>,
    rule: &GrpcRouteRule<'_>,
    referrer: Referrer<'_, '_>,
    name: Str,
) -> Option<HttpRule> {
    let (headers, mirrors) = grpc_filters(context, &rule.filters, referrer)?;
    Some(HttpRule {
        name,
        action: forward(grpc_destinations(context, &rule.backend_refs, referrer)?),
        headers,
        mirrors,
        origin: Origin::of(rule.span),
        ..HttpRule::default()
    })
}

fn with_match(mut rule: HttpRule, condition: Option<HttpMatch>) -> HttpRule {
    rule.matches.extend(condition);
    rule
}

/// A rule without a name is called after its route and its place there.
fn rule_name(name: Option<Text<'_>>, route: &Header<'_>, place: usize) -> Str {
    match name {
        Some(name) => Str::new(name.as_str()),
        None => Str::from(format!("{}.{}.{place}", route.namespace, route.name)),
    }
}

/// Where nothing takes the request, the proxy answers with an error (catalogue: gateways, 64).
fn forward(destinations: Vec<WeightedDestination>) -> Action {
    if destinations.is_empty() {
        Action::Respond {
            status: 500,
            body: None,
            bytes: None,
        }
    } else {
        Action::Forward(destinations)
    }
}

fn http_filters(
    context: &Context<'_, '_, '_>,
    list: &[HttpRouteFilter<'_>],
    referrer: Referrer<'_, '_>,
) -> Option<Filtered> {
    let mut filtered = Filtered::default();
    for filter in list {
        match filter.type_name.map_or("", |name| name.as_str()) {
            "RequestHeaderModifier" => {
                let changes = filter.request_header_modifier.as_deref();
                changes.inspect(|changes| filters::request_headers(&mut filtered.headers, changes));
            }
            "ResponseHeaderModifier" => {
                let changes = filter.response_header_modifier.as_deref();
                changes.inspect(|changes| filters::response_headers(&mut filtered.headers, changes));
            }
            "RequestRedirect" => filtered.redirect = filter.request_redirect.as_deref().map(filters::redirect),
            "RequestMirror" => {
                let mirror = filter.request_mirror.as_deref();
                (filtered.mirrors).extend(mirror.and_then(|mirror| filters::mirror(context, mirror, referrer)));
            }
            "URLRewrite" => filtered.rewrite = filter.url_rewrite.as_deref().and_then(filters::rewrite),
            "CORS" => filtered.cors = filter.cors.as_deref().map(filters::cors),
            _ => return None,
        }
    }
    Some(filtered)
}

fn grpc_filters(
    context: &Context<'_, '_, '_>,
    list: &[GrpcRouteFilter<'_>],
    referrer: Referrer<'_, '_>,
) -> Option<(HeaderChanges, Vec<Mirror>)> {
    let mut headers = HeaderChanges::default();
    let mut mirrors = Vec::new();
    for filter in list {
        match filter.type_name.map_or("", |name| name.as_str()) {
            "RequestHeaderModifier" => {
                let changes = filter.request_header_modifier.as_deref();
                changes.inspect(|changes| filters::request_headers(&mut headers, changes));
            }
            "ResponseHeaderModifier" => {
                let changes = filter.response_header_modifier.as_deref();
                changes.inspect(|changes| filters::response_headers(&mut headers, changes));
            }
            "RequestMirror" => {
                let mirror = filter.request_mirror.as_deref();
                mirrors.extend(mirror.and_then(|mirror| filters::mirror(context, mirror, referrer)));
            }
            _ => return None,
        }
    }
    Some((headers, mirrors))
}

fn http_destinations(
    context: &Context<'_, '_, '_>,
    references: &[HttpBackendRef<'_>],
    referrer: Referrer<'_, '_>,
) -> Option<Vec<WeightedDestination>> {
    let shares = shares(references.iter().map(|reference| (reference, reference.weight)));
    let destinations = shares.into_iter().map(|(reference, weight)| {
        let only_headers =
            |filter: &HttpRouteFilter<'_>| (filter.type_name).is_some_and(|name| name.ends_with("HeaderModifier"));
        let filtered = http_filters(context, &reference.filters, referrer)?;
        (reference.filters.iter().all(only_headers)).then_some(())?;
        Some(WeightedDestination {
            destination: context.resolve(&reference.into(), referrer)?.destination,
            weight,
            headers: filtered.headers,
        })
    });
    destinations.collect()
}

fn grpc_destinations(
    context: &Context<'_, '_, '_>,
    references: &[GrpcBackendRef<'_>],
    referrer: Referrer<'_, '_>,
) -> Option<Vec<WeightedDestination>> {
    let shares = shares(references.iter().map(|reference| (reference, reference.weight)));
    let destinations = shares.into_iter().map(|(reference, weight)| {
        let (headers, mirrors) = grpc_filters(context, &reference.filters, referrer)?;
        mirrors.is_empty().then_some(())?;
        Some(WeightedDestination {
            destination: context.resolve(&reference.into(), referrer)?.destination,
            weight,
            headers,
        })
    });
    destinations.collect()
}

/// A limit that is written and not zero.
fn limit(text: Option<Text<'_>>) -> Option<Str> {
    let text = text?;
    (Duration::parse(text.as_str()) != Some(Duration(0))).then(|| envoy_duration(text.as_str()))
}

fn limits(rule: &HttpRouteRule<'_>) -> (Option<Str>, Option<Str>) {
    let of = |read: fn(&HttpRouteTimeouts<'_>) -> Option<Str>| rule.timeouts.as_deref().and_then(read);
    (
        of(|timeouts| limit(timeouts.request)),
        of(|timeouts| limit(timeouts.backend_request)),
    )
}

/// The limit of the request; that of a backend stands for it where nothing is sent again (catalogue: gateways, 65).
fn timeout(rule: &HttpRouteRule<'_>) -> Option<Str> {
    let (request, backend) = limits(rule);
    match rule.retry {
        Some(_) => request,
        None => backend.or(request),
    }
}

fn retries(rule: &HttpRouteRule<'_>) -> Retries {
    let Some(retry) = rule.retry.as_deref() else {
        return Retries::Mesh;
    };
    let attempts = retry
        .attempts
        .map_or(2, |attempts| u32::try_from(attempts.value).unwrap_or(0));
    if attempts == 0 {
        return Retries::Never;
    }
    Retries::Policy(Box::new(policy(retry, attempts, limits(rule).1)))
}

fn policy(retry: &HttpRouteRetry<'_>, attempts: u32, per_try: Option<Str>) -> RetryPolicy {
    let codes: Vec<u32> = (retry.codes.iter())
        .filter_map(|code| u32::try_from(code.value).ok())
        .collect();
    RetryPolicy {
        host_selection_retry_max_attempts: Str::new_static("5"),
        num_retries: Some(attempts),
        per_try_timeout: per_try.unwrap_or_default(),
        retry_back_off: retry.backoff.map(|backoff| RetryBackOff {
            base_interval: envoy_duration(backoff.as_str()),
            max_interval: Str::default(),
        }),
        retry_host_predicate: vec![PREVIOUS_HOSTS.clone()],
        retry_on: Str::new_static(if codes.is_empty() {
            "connect-failure,refused-stream,unavailable,cancelled"
        } else {
            "connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes"
        }),
        retriable_status_codes: codes,
        ..RetryPolicy::default()
    }
}
