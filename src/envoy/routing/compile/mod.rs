//! Rules turned into Envoy's routes, for one that asks.

mod action;
mod matches;
mod redirect;

use super::model::{Action, HttpMatch, HttpRule, VirtualRoutes};
use crate::envoy::World;
use crate::envoy::ambient::Waypoint;
use crate::envoy::destinations::hash_policies;
use crate::envoy::message::{
    DataSource, Decorator, DirectResponse, HttpFault, Json, Metadata, Origin, Route, RouteAction, RouteMatch, Str,
};
use crate::envoy::pods::PodGroup;
use crate::envoy::registry::Service;
use crate::envoy::scope::Scope;

/// Who asks for routes.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'q, 'm, 'a> {
    /// The proxy, whose labels `sourceLabels` must be among.
    pub proxy: &'q PodGroup<'m, 'a>,
    /// What it is told of.
    pub scope: &'q Scope,
    /// The gateways that the listener stands for: `mesh`, or Gateways as `namespace/name`.
    pub gateways: &'q [Str],
    /// What `sourceNamespace` must be: the namespace of the proxy, or that of the gateway.
    pub source_namespace: &'q str,
    /// The port of the listener or server; 0 where it stands for all ports.
    pub port: u32,
    /// Whether requests come by HTTPS.
    pub is_tls: bool,
    /// Whether a destination without a port may take the only port of its service. Sidecars see services by one port at a
    /// time, so that it is that of the listener.
    pub whole_services: bool,
    /// The waypoint, if it is one: its own services have clusters of their own there.
    pub waypoint: Option<&'q Waypoint>,
}

/// The routes that rules come to for one that asks. None if no rule is for it.
pub fn http_routes<'m, 'a>(world: &World<'m, 'a>, routes: &VirtualRoutes<'_>, asker: &Asker<'_, 'm, 'a>) -> Vec<Route> {
    let mut made = Vec::new();
    let compiler = Compiler { world, routes, asker };
    for rule in &routes.http {
        if rule.matches.is_empty() {
            made.push(compiler.route(rule, None));
            break;
        }
        for entry in rule.matches.iter().filter(|entry| asker.may_match(entry)) {
            let route = compiler.route(rule, Some(entry));
            let ends = is_catch_all(&route.r#match);
            made.push(route);
            if ends {
                return made;
            }
        }
    }
    made
}

/// Whether a route takes every request, so that none after it is reached (catalogue: routes, 35).
pub fn is_catch_all(matched: &RouteMatch) -> bool {
    let path = match matched {
        RouteMatch { prefix: Some(path), .. }
        | RouteMatch {
            path_separated_prefix: Some(path),
            ..
        } => path == "/",
        RouteMatch {
            safe_regex: Some(path), ..
        } => path.regex == ".*" || path.regex == "*",
        _ => false,
    };
    path && matched.headers.is_empty() && matched.query_parameters.is_empty() && matched.dynamic_metadata.is_empty()
}

/// The cluster of a host, a port and a subset, which may be empty.
pub fn cluster_name(port: u32, subset: &str, host: &str) -> Str {
    Str::from(format!("outbound|{port}|{subset}|{host}"))
}

/// The cluster of a service at its waypoint, for a port, the protocol it is served as and a subset, which may be empty.
pub fn waypoint_cluster_name(port: u32, protocol: &str, subset: &str, host: &str) -> Str {
    let slash = if subset.is_empty() { "" } else { "/" };
    Str::from(format!("inbound-vip|{port}|{protocol}{slash}{subset}|{host}"))
}

/// What requests to a service are hashed by, on a port and for a subset, which may be empty.
pub fn hash_of<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    service: &Service<'m, 'a>,
    port: u32,
    subset: &str,
) -> Vec<Json> {
    if !world.destinations.hash {
        return Vec::new();
    }
    let Some(rule) = world.destinations.rule_for(proxy, service) else {
        return Vec::new();
    };
    hash_policies(rule, port, rule.subset(subset))
}

/// What a span of a request is named after: host and port if there is one cluster, else the VirtualService and the port of
/// the listener.
pub fn decorator(matched: &RouteMatch, action: Option<&RouteAction>, name: &str, port: u32) -> Option<Decorator> {
    let (host, port) = action.and_then(host_and_port).unwrap_or((name, port));
    let path = match matched {
        RouteMatch { prefix: Some(path), .. } => format!("{path}*"),
        RouteMatch {
            path_separated_prefix: Some(_),
            ..
        } => "/*".to_owned(),
        RouteMatch { path: Some(path), .. } => path.to_string(),
        RouteMatch {
            safe_regex: Some(path), ..
        } => path.regex.to_string(),
        _ => String::new(),
    };
    Some(Decorator {
        operation: Str::from(format!("{host}:{port}{path}")),
    })
}

fn host_and_port(action: &RouteAction) -> Option<(&str, u32)> {
    let mut parts = action.cluster.split_once('|')?.1.splitn(3, '|');
    let (port, _, host) = (parts.next()?, parts.next()?, parts.next()?);
    Some((host, port.parse().ok()?))
}

impl Asker<'_, '_, '_> {
    /// Whether a match is for this one. One that names gateways is not asked for its source (catalogue: hosts and ports, 31).
    fn may_match(&self, entry: &HttpMatch) -> bool {
        if entry.port.is_some_and(|port| port != self.port) {
            return false;
        }
        if !entry.gateways.is_empty() {
            return entry.gateways.iter().any(|gateway| self.gateways.contains(gateway));
        }
        let labels = entry
            .source_labels
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()));
        let namespace = entry.source_namespace.as_deref();
        self.proxy.has(labels) && namespace.is_none_or(|namespace| namespace == self.source_namespace)
    }
}

/// Compiles the rules of one VirtualService.
struct Compiler<'c, 'r, 'm, 'a> {
    world: &'c World<'m, 'a>,
    routes: &'c VirtualRoutes<'r>,
    asker: &'c Asker<'c, 'm, 'a>,
}

impl Compiler<'_, '_, '_, '_> {
    fn route(&self, rule: &HttpRule, entry: Option<&HttpMatch>) -> Route {
        let mut route = Route {
            name: name(&rule.name, entry.map_or("", |entry| &entry.name)),
            r#match: entry.map_or_else(matches::everything, matches::of),
            metadata: Some(Metadata::credit(self.routes.credit.clone())),
            request_headers_to_add: rule.headers.request.clone(),
            request_headers_to_remove: rule.headers.request_remove.clone(),
            response_headers_to_add: rule.headers.response.clone(),
            response_headers_to_remove: rule.headers.response_remove.clone(),
            stat_prefix: entry.map_or(Str::default(), |entry| entry.stat_prefix.clone()),
            origin: origin(rule, entry),
            ..Route::default()
        };
        match &rule.action {
            Action::Redirect(redirect) => route.redirect = Some(self.redirect(redirect)),
            Action::Respond { status, body, bytes } => {
                route.direct_response = Some(respond(*status, body.as_ref(), bytes.as_ref()));
            }
            Action::Forward(destinations) => self.forward(rule, entry, destinations, &mut route),
        }
        route.decorator = decorator(
            &route.r#match,
            route.route.as_deref(),
            &self.routes.name,
            self.asker.port,
        );
        if let Some(cors) = &rule.cors {
            route
                .typed_per_filter_config
                .insert("envoy.filters.http.cors", cors.clone());
        }
        if let Some(fault) = &rule.fault {
            route
                .typed_per_filter_config
                .insert("envoy.filters.http.fault", fault_config(fault));
        }
        route
    }
}

/// `rule.match`; one of the two may be missing (catalogue: routes, 34).
fn name(rule: &Str, entry: &str) -> Str {
    if entry.is_empty() {
        rule.clone()
    } else {
        Str::from(format!("{rule}.{entry}"))
    }
}

fn origin(rule: &HttpRule, entry: Option<&HttpMatch>) -> Origin {
    let mut origin = rule.origin.clone();
    for span in entry.iter().flat_map(|entry| &entry.origin.0) {
        origin.add(*span);
    }
    origin
}

fn respond(status: u32, body: Option<&Str>, bytes: Option<&Str>) -> DirectResponse {
    let has_body = body.is_some() || bytes.is_some();
    DirectResponse {
        status,
        body: has_body.then(|| DataSource {
            inline_string: body.cloned(),
            inline_bytes: bytes.cloned(),
        }),
    }
}

fn fault_config(fault: &HttpFault) -> Json {
    let mut config = serde_json::to_value(fault).unwrap_or_default();
    if let Some(fields) = config.as_object_mut() {
        fields.insert(
            "@type".into(),
            "type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault".into(),
        );
    }
    config.into()
}
