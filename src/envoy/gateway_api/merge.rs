//! Routes of one listener and hostname become one, as do those of one namespace for one service.

use std::collections::BTreeMap;

use super::Context;
use super::attachments::{Attaching, Attachment, ServiceAttachment, attachments};
use super::listeners::RouteKind;
use super::rules::{self, RankedRule};
use crate::envoy::message::Str;
use crate::envoy::routing::model::{Dialect, HttpMatch, VirtualRoutes};
use crate::mesh::ExportTo;
use crate::model::Header;
use crate::model::gateway_api::{GrpcRouteSpec, HttpRouteSpec};

/// What one route gives to a listener and a hostname, or to a service.
struct Part<'m, 'a> {
    header: &'m Header<'a>,
    rules: Vec<RankedRule>,
}

/// Parts that become one.
struct Merged<'m, 'a> {
    host: Str,
    gateway: Str,
    export_to: ExportTo<'m>,
    parts: Vec<Part<'m, 'a>>,
}

/// Parts by the key that is also their name: listener and hostname, or namespace and service.
type ByKey<'m, 'a> = BTreeMap<String, Merged<'m, 'a>>;

/// The routes that all HTTPRoutes and GRPCRoutes come to.
pub fn http_routes<'m>(context: &Context<'_, 'm, '_>) -> Vec<VirtualRoutes<'m>> {
    let mut by_key = ByKey::new();
    for route in context
        .mesh
        .all::<HttpRouteSpec<'_>>()
        .filter(|route| route.header.cluster == 0)
    {
        let attaching = Attaching {
            header: route.header,
            kind: RouteKind::Http,
            hostnames: &route.body.hostnames,
            parents: &route.body.parent_refs,
        };
        collect(
            context,
            attaching,
            |in_mesh| rules::of_http(context, route, in_mesh),
            &mut by_key,
        );
    }
    for route in context
        .mesh
        .all::<GrpcRouteSpec<'_>>()
        .filter(|route| route.header.cluster == 0)
    {
        let attaching = Attaching {
            header: route.header,
            kind: RouteKind::Grpc,
            hostnames: &route.body.hostnames,
            parents: &route.body.parent_refs,
        };
        collect(
            context,
            attaching,
            |in_mesh| rules::of_grpc(context, route, in_mesh),
            &mut by_key,
        );
    }
    by_key
        .into_iter()
        .filter_map(|(key, merged)| finish(&key, merged))
        .collect()
}

fn collect<'m, 'a>(
    context: &Context<'_, 'm, 'a>,
    route: Attaching<'m, 'a>,
    rules: impl Fn(bool) -> Option<Vec<RankedRule>>,
    by_key: &mut ByKey<'m, 'a>,
) {
    let attachments = attachments(context, route);
    let (mut for_gateways, mut for_mesh) = (None, None);
    for attachment in attachments {
        match attachment {
            Attachment::Listener { parent, hosts } => {
                let rules = for_gateways.get_or_insert_with(|| rules(false).unwrap_or_default());
                for host in hosts {
                    let gateway = parent.full_name();
                    let key = format!("{gateway}/{host}");
                    let export_to = exported(context, route.header);
                    put(by_key, key, (host, gateway, export_to), route.header, rules.clone());
                }
            }
            Attachment::Service(service) => {
                let rules = for_mesh.get_or_insert_with(|| rules(true).unwrap_or_default());
                collect_service(context, route.header, &service, rules, by_key);
            }
        }
    }
}

/// A producer's route holds for everyone, a consumer's for its own namespace (catalogue: gateways, 67).
fn collect_service<'m, 'a>(
    context: &Context<'_, 'm, 'a>,
    header: &'m Header<'a>,
    service: &ServiceAttachment,
    rules: &[RankedRule],
    by_key: &mut ByKey<'m, 'a>,
) {
    let namespace = header.namespace.as_str();
    let place = match service.port {
        Some(port) => format!("{namespace}/{port}"),
        None => namespace.to_owned(),
    };
    for host in &service.hosts {
        let export_to = if service.producer {
            exported(context, header)
        } else {
            ExportTo::Only(smallvec::smallvec![namespace])
        };
        let rules = rules.iter().cloned().map(|rule| at_port(rule, service.port)).collect();
        let target = (host.clone(), Str::new_static("mesh"), export_to);
        put(by_key, format!("{place}/{host}"), target, header, rules);
    }
}

pub(super) fn exported<'m>(context: &Context<'_, 'm, '_>, header: &'m Header<'_>) -> ExportTo<'m> {
    let default = &context.mesh.settings.virtual_service_export_to;
    ExportTo::of(&[], default, header.namespace.as_str())
}

/// A rule for one port only.
fn at_port(mut rule: RankedRule, port: Option<u32>) -> RankedRule {
    if port.is_some() && rule.rule.matches.is_empty() {
        rule.rule.matches.push(HttpMatch::default());
    }
    for condition in &mut rule.rule.matches {
        condition.port = port;
    }
    rule
}

fn put<'m, 'a>(
    by_key: &mut ByKey<'m, 'a>,
    key: String,
    (host, gateway, export_to): (Str, Str, ExportTo<'m>),
    header: &'m Header<'a>,
    rules: Vec<RankedRule>,
) {
    let merged = by_key.entry(key).or_insert_with(|| Merged {
        host,
        gateway,
        export_to,
        parts: Vec::new(),
    });
    merged.parts.push(Part { header, rules });
}

/// The oldest of the parts gives namespace and age; the rules stand by their precedence, then by the age of their routes.
fn finish<'m>(key: &str, merged: Merged<'m, '_>) -> Option<VirtualRoutes<'m>> {
    let mut parts = merged.parts;
    parts.retain(|part| !part.rules.is_empty());
    let age = |part: &Part<'m, '_>| {
        let header = part.header;
        let created = header.created.map_or("", |created| created.as_str());
        (created, header.namespace.as_str(), header.name.as_str())
    };
    parts.sort_by(|a, b| age(a).cmp(&age(b)));
    let (created, namespace, _) = age(parts.first()?);
    let span = parts.first()?.header.span;
    let mut rules: Vec<RankedRule> = parts.into_iter().flat_map(|part| part.rules).collect();
    rules.sort_by_key(|rule| rule.precedence);
    let name = Str::from(key.replace('/', "~"));
    Some(VirtualRoutes {
        host_spans: Vec::new(),
        credit: credit(namespace, &name),
        name,
        namespace,
        created,
        hosts: vec![Str::from(merged.host.to_lowercase())],
        gateways: vec![merged.gateway],
        export_to: merged.export_to,
        dialect: Dialect::GatewayApi,
        http: rules.into_iter().map(|ranked| ranked.rule).collect(),
        tls: Vec::new(),
        tcp: Vec::new(),
        span,
    })
}

/// The path by which istiod credits what it makes of routes.
pub(super) fn credit(namespace: &str, name: &str) -> Str {
    Str::from(format!(
        "/apis/networking.istio.io/v1/namespaces/{namespace}/virtual-service/{name}"
    ))
}
