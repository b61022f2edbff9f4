//! External authorizers: what CUSTOM policies ask, and how.
//!
//! A shadow RBAC filter marks the requests that the policies mean, a second filter asks the provider about those
//! (catalogue: policies, 43). A provider that cannot be asked denies them (44).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::rules::Chain;
use super::statuses::status_name;
use super::{Attachment, Rules, policies, policy_key, rbac};
use crate::envoy::World;
use crate::envoy::environment::envoy_duration;
use crate::envoy::message::{Filter, HttpFilter, Str};
use crate::envoy::providers::{cluster_of, provider};
use crate::model::istio::Action;
use crate::model::mesh_config::{
    EnvoyExternalAuthorizationGrpcProvider, EnvoyExternalAuthorizationHttpProvider,
    EnvoyExternalAuthorizationRequestBody,
};
use crate::model::{Spanned, Text};

/// The requests that go to one provider.
pub(super) struct Request {
    /// Which they are.
    pub(super) rules: Rules,
    /// The call on HTTP chains.
    pub(super) http: Option<HttpFilter>,
    /// The call on TCP chains; an HTTP provider cannot be asked there.
    pub(super) tcp: Option<Filter>,
}

/// The requests of all CUSTOM policies by provider.
pub(super) fn requests(world: &World<'_, '_>, chain: &Chain<'_>, attached: &[&Attachment<'_, '_>]) -> Vec<Request> {
    let mut by_provider: BTreeMap<&str, Vec<&Attachment<'_, '_>>> = BTreeMap::new();
    for attachment in attached {
        let policy = attachment.object.body;
        if policy.action() == Some(Action::Custom) {
            let provider = policy.provider.as_ref().and_then(|provider| provider.name);
            let name = provider.map_or("", |name| name.as_str());
            by_provider.entry(name).or_default().push(attachment);
        }
    }
    let several = by_provider.len() > 1;
    let is_allowed = !several
        || world
            .environment
            .flag("PILOT_ENABLE_MULTIPLE_CUSTOM_AUTHZ_PROVIDERS", false);
    let request = |(name, attached): (&str, Vec<&Attachment<'_, '_>>)| match Authorizer::named(world, name)
        .filter(|_| is_allowed)
    {
        Some(authorizer) => asked(chain, name, &attached, &authorizer),
        None => denied(chain, name, &attached),
    };
    by_provider.into_iter().map(request).collect()
}

fn asked(chain: &Chain<'_>, name: &str, attached: &[&Attachment<'_, '_>], authorizer: &Authorizer<'_, '_>) -> Request {
    let mut rules = collected(chain, name, attached, "");
    rules.shadow = rules.enforced.take();
    rules.prefix = "istio_ext_authz_";
    let http = HttpFilter {
        origin: rules.origin.clone(),
        ..HttpFilter::json("envoy.filters.http.ext_authz", Arc::new(authorizer.http_filter(name)))
    };
    let tcp = authorizer
        .tcp_filter(name)
        .map(|config| Filter::json("envoy.filters.network.ext_authz", Arc::new(config)));
    Request {
        rules,
        http: Some(http),
        tcp,
    }
}

fn denied(chain: &Chain<'_>, name: &str, attached: &[&Attachment<'_, '_>]) -> Request {
    Request {
        rules: collected(chain, name, attached, "-deny-due-to-bad-CUSTOM-action"),
        http: None,
        tcp: None,
    }
}

fn collected(chain: &Chain<'_>, name: &str, attached: &[&Attachment<'_, '_>], suffix: &str) -> Rules {
    let mut rules = Rules::default();
    let mut all = rbac("DENY");
    for attachment in attached {
        let policy = policy_key(attachment);
        let key = |index| Str::from(format!("istio-ext-authz-{name}-{policy}-rule[{index}]{suffix}"));
        all.policies.extend(policies(chain, attachment, key));
        rules.origin.add(attachment.object.header.span);
    }
    rules.enforced = Some(all);
    rules
}

/// A provider that can be asked.
struct Authorizer<'m, 'a> {
    kind: Kind<'m, 'a>,
    host: Str,
    cluster: Str,
    /// The status where the provider fails.
    status: Option<&'static str>,
}

enum Kind<'m, 'a> {
    Http(&'m EnvoyExternalAuthorizationHttpProvider<'a>),
    Grpc(&'m EnvoyExternalAuthorizationGrpcProvider<'a>),
}

impl<'m, 'a> Authorizer<'m, 'a> {
    /// The provider of this name; `None` if there is none, or its service or status is unknown.
    fn named(world: &World<'m, 'a>, name: &str) -> Option<Self> {
        let provider = provider(world, name)?;
        let (kind, service, port, status) = if let Some(http) = provider.envoy_ext_authz_http.as_deref() {
            (Kind::Http(http), http.service, http.port, http.status_on_error)
        } else {
            let grpc = provider.envoy_ext_authz_grpc.as_deref()?;
            (Kind::Grpc(grpc), grpc.service, grpc.port, grpc.status_on_error)
        };
        let (host, cluster) = cluster_of(world, service?.as_str(), port.map_or(0, |port| port.value))?;
        let status = match status.filter(|status| !status.is_empty()) {
            Some(status) => Some(status_name(status.as_str())?),
            None => None,
        };
        Some(Self {
            kind,
            host,
            cluster,
            status,
        })
    }

    fn http_filter(&self, name: &str) -> Value {
        let (fail_open, clear, body) = match self.kind {
            Kind::Http(it) => (it.fail_open, it.clear_route_cache, &it.include_request_body_in_check),
            Kind::Grpc(it) => (it.fail_open, it.clear_route_cache, &it.include_request_body_in_check),
        };
        let mut config = config("envoy.extensions.filters.http.ext_authz.v3.ExtAuthz", "http", name);
        put_if(&mut config, "failureModeAllow", is(fail_open));
        put_if(&mut config, "clearRouteCache", is(clear));
        if let Some(body) = body {
            config.insert("withRequestBody".into(), request_body(body));
        }
        if let Some(status) = self.status {
            config.insert("statusOnError".into(), json!({"code": status}));
        }
        match self.kind {
            Kind::Http(it) => self.call_by_http(it, &mut config),
            Kind::Grpc(it) => {
                config.insert("grpcService".into(), self.grpc_service(it));
            }
        }
        Value::Object(config)
    }

    fn tcp_filter(&self, name: &str) -> Option<Value> {
        let Kind::Grpc(provider) = self.kind else {
            return None;
        };
        let mut config = config(
            "envoy.extensions.filters.network.ext_authz.v3.ExtAuthz",
            "network",
            name,
        );
        put_if(&mut config, "failureModeAllow", is(provider.fail_open));
        config.insert("grpcService".into(), self.grpc_service(provider));
        config.insert("statPrefix".into(), json!("tcp."));
        Some(Value::Object(config))
    }

    fn grpc_service(&self, provider: &EnvoyExternalAuthorizationGrpcProvider<'_>) -> Value {
        json!({
            "envoyGrpc": {"authority": self.host, "clusterName": self.cluster},
            "timeout": timeout(provider.timeout),
        })
    }

    fn call_by_http(&self, provider: &EnvoyExternalAuthorizationHttpProvider<'_>, config: &mut Map<String, Value>) {
        let checked = if provider.include_request_headers_in_check.is_empty() {
            &provider.include_headers_in_check
        } else {
            &provider.include_request_headers_in_check
        };
        put_patterns(config, "allowedHeaders", checked);
        let mut response = Map::new();
        put_patterns(
            &mut response,
            "allowedUpstreamHeaders",
            &provider.headers_to_upstream_on_allow,
        );
        put_patterns(
            &mut response,
            "allowedClientHeaders",
            &provider.headers_to_downstream_on_deny,
        );
        put_patterns(
            &mut response,
            "allowedClientHeadersOnSuccess",
            &provider.headers_to_downstream_on_allow,
        );
        let mut call = Map::new();
        call.insert(
            "serverUri".into(),
            json!({"uri": format!("http://{}", self.host), "cluster": self.cluster, "timeout": timeout(provider.timeout)}),
        );
        if let Some(prefix) = provider.path_prefix.filter(|prefix| !prefix.is_empty()) {
            call.insert("pathPrefix".into(), json!(prefix.as_str()));
        }
        let added: BTreeMap<_, _> = provider.include_additional_headers_in_check.iter().collect();
        if !added.is_empty() {
            let headers: Vec<Value> = added
                .iter()
                .map(|(key, value)| json!({"key": key, "value": value}))
                .collect();
            call.insert("authorizationRequest".into(), json!({"headersToAdd": headers}));
        }
        if !response.is_empty() {
            call.insert("authorizationResponse".into(), Value::Object(response));
        }
        config.insert("httpService".into(), Value::Object(call));
    }
}

/// What calls of all kinds have in common: only marked requests are asked about.
fn config(type_name: &str, kind: &str, name: &str) -> Map<String, Value> {
    let mut config = Map::new();
    config.insert("@type".into(), json!(format!("type.googleapis.com/{type_name}")));
    config.insert("transportApiVersion".into(), json!("V3"));
    config.insert(
        "filterEnabledMetadata".into(),
        json!({
            "filter": format!("envoy.filters.{kind}.rbac"),
            "path": [{"key": "istio_ext_authz_shadow_effective_policy_id"}],
            "value": {"stringMatch": {"prefix": format!("istio-ext-authz-{name}")}},
        }),
    );
    config
}

fn request_body(body: &EnvoyExternalAuthorizationRequestBody) -> Value {
    let mut settings = Map::new();
    if let Some(bytes) = body.max_request_bytes.filter(|bytes| bytes.value != 0) {
        settings.insert("maxRequestBytes".into(), json!(bytes.value));
    }
    put_if(&mut settings, "allowPartialMessage", is(body.allow_partial_message));
    put_if(&mut settings, "packAsBytes", is(body.pack_as_bytes));
    Value::Object(settings)
}

fn put_patterns(into: &mut Map<String, Value>, key: &str, headers: &[Text<'_>]) {
    if headers.is_empty() {
        return;
    }
    let pattern = |header: &Text<'_>| {
        let matcher = super::matchers::text(header.as_str());
        let ignore_case = matcher.safe_regex.is_none();
        json!(crate::envoy::message::StringMatcher { ignore_case, ..matcher })
    };
    let patterns: Vec<Value> = headers.iter().map(pattern).collect();
    into.insert(key.into(), json!({"patterns": patterns}));
}

fn put_if(into: &mut Map<String, Value>, key: &str, on: bool) {
    if on {
        into.insert(key.into(), Value::Bool(true));
    }
}

fn is(flag: Option<Spanned<bool>>) -> bool {
    flag.is_some_and(|flag| flag.value)
}

/// Ten minutes where nothing is written.
fn timeout(text: Option<Text<'_>>) -> Str {
    text.map_or(Str::new_static("600s"), |text| envoy_duration(text.as_str()))
}
