//! The routes of Ingresses.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::{AGELESS, MADE_UP, NAMESPACE, Taken, gateway_name, taken};
use crate::envoy::message::{Origin, Str};
use crate::envoy::registry::Registry;
use crate::envoy::routing::model::{
    Action, Destination, Dialect, HeaderChanges, HttpMatch, HttpRule, PathMatch, VirtualRoutes, WeightedDestination,
};
use crate::mesh::{ExportTo, Mesh};
use crate::model::kubernetes::{IngressPath, IngressService};

/// The routes of all Ingresses: one set a host, at the gateway of the first Ingress that has the host (catalogue: Ingress,
/// 57).
pub fn routes<'m, 'a>(mesh: &'m Mesh<'a>, registry: &Registry<'m, 'a>) -> Vec<VirtualRoutes<'m>> {
    let mut hosts: Vec<Host<'m>> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for ingress in taken(mesh) {
        for rule in &ingress.body.rules {
            let Some(http) = &rule.http else { continue };
            let name = rule.host.map_or("", |host| host.as_str());
            let name = if name.is_empty() { "*" } else { name };
            let place = *places.entry(name).or_insert_with(|| {
                hosts.push(Host::new(mesh, name, &ingress));
                hosts.len() - 1
            });
            let namespace = ingress.header.namespace.as_str();
            let rules = http
                .paths
                .iter()
                .filter_map(|path| ranked(mesh, registry, namespace, path));
            hosts[place].rules.extend(rules);
        }
    }
    hosts.into_iter().map(Host::finish).collect()
}

/// Longer paths come first, and whole paths before beginnings.
type Rank = (Reverse<usize>, bool);

/// The routes of one host in the making.
struct Host<'m> {
    routes: VirtualRoutes<'m>,
    rules: Vec<(Rank, HttpRule)>,
}

impl<'m> Host<'m> {
    fn new(mesh: &'m Mesh<'_>, host: &str, ingress: &Taken<'m, '_>) -> Self {
        let header = ingress.header;
        let namespace = header.namespace.as_str();
        let name = format!("{}-{}-{MADE_UP}", host.replace('.', "-"), header.name);
        let full = mesh.host_name(host, namespace).full(mesh);
        let credit = format!("/apis/networking.istio.io/v1/namespaces/{namespace}/virtual-service/{name}");
        let routes = VirtualRoutes {
            host_spans: Vec::new(),
            name: Str::from(name),
            namespace,
            credit: Str::from(credit),
            created: AGELESS,
            hosts: vec![Str::from(full.to_ascii_lowercase())],
            gateways: vec![Str::from(format!("{NAMESPACE}/{}", gateway_name(ingress)))],
            export_to: ExportTo::of(&[], &mesh.settings.virtual_service_export_to, namespace),
            dialect: Dialect::Ingress,
            http: Vec::new(),
            tls: Vec::new(),
            tcp: Vec::new(),
            span: header.span,
        };
        Self {
            routes,
            rules: Vec::new(),
        }
    }

    fn finish(mut self) -> VirtualRoutes<'m> {
        self.rules.sort_by_key(|(rank, _)| *rank);
        self.routes.http = self.rules.into_iter().map(|(_, rule)| rule).collect();
        self.routes
    }
}

/// The rule of a path; none if its backend is no Service or has no such port.
fn ranked<'m, 'a>(
    mesh: &'m Mesh<'a>,
    registry: &Registry<'m, 'a>,
    namespace: &str,
    written: &IngressPath<'_>,
) -> Option<(Rank, HttpRule)> {
    let service = written.backend.as_ref().and_then(|backend| backend.service.as_ref())?;
    let name = service.name.map_or("", |name| name.as_str());
    let host = Str::from(format!("{name}.{namespace}.svc.{}", mesh.settings.cluster_domain));
    let destination = Destination {
        port: Some(port(registry, &host, service)?),
        host,
        subset: Str::default(),
        cluster: None,
        span: service.span,
    };
    let path = path_match(written);
    let rank = path.as_ref().map_or((Reverse(0), true), |(rank, _)| *rank);
    let rule = HttpRule {
        matches: path.into_iter().map(|(_, path)| on_path(path, written)).collect(),
        action: Action::Forward(vec![WeightedDestination {
            destination,
            weight: Some(100),
            headers: HeaderChanges::default(),
        }]),
        origin: Origin::of(written.span),
        ..HttpRule::default()
    };
    Some((rank, rule))
}

fn on_path(path: PathMatch, written: &IngressPath<'_>) -> HttpMatch {
    HttpMatch {
        path: Some(path),
        origin: Origin::of(written.span),
        ..HttpMatch::default()
    }
}

fn port(registry: &Registry<'_, '_>, host: &str, service: &IngressService<'_>) -> Option<u32> {
    let written = service.port.as_ref()?;
    let number = written.number.and_then(|number| u32::try_from(number.value).ok());
    if let Some(number) = number.filter(|number| *number > 0) {
        return Some(number);
    }
    let name = written.name.map_or("", |name| name.as_str());
    let id = registry.of_host(host).first()?;
    let port = registry.services[*id].ports.iter().find(|port| port.name == name)?;
    Some(port.number)
}

/// The condition on the path, and its rank; none takes every path.
fn path_match(written: &IngressPath<'_>) -> Option<(Rank, PathMatch)> {
    let path = written.path.map_or("", |path| path.as_str());
    match written.path_type.map_or("", |kind| kind.as_str()) {
        "Exact" => Some(exact(path)),
        "Prefix" => Some(beginning(path)),
        _ if matches!(path, "" | "*" | "/*" | ".*") => None,
        _ if prefix_of(path) != path => Some(beginning(prefix_of(path))),
        _ => Some(exact(path)),
    }
}

fn exact(path: &str) -> (Rank, PathMatch) {
    ((Reverse(path.len()), false), PathMatch::Exact(Str::new(path)))
}

/// A path without the wildcard at its end.
fn prefix_of(path: &str) -> &str {
    path.strip_suffix(".*")
        .or_else(|| path.strip_suffix("/*"))
        .unwrap_or(path)
}

/// Paths that begin so, by whole segments.
fn beginning(path: &str) -> (Rank, PathMatch) {
    let condition = if path == "/" {
        PathMatch::Prefix(Str::new_static("/"))
    } else {
        PathMatch::Segments(Str::new(path.strip_suffix('/').unwrap_or(path)))
    };
    ((Reverse(path.len()), true), condition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_at_the_end_are_beginnings() {
        assert_eq!(prefix_of("/img/.*"), "/img/");
        assert_eq!(prefix_of("/img/*"), "/img");
        assert_eq!(prefix_of("/img"), "/img");
        assert_eq!(beginning("/img/").1, PathMatch::Segments(Str::new_static("/img")));
        assert_eq!(beginning("/").1, PathMatch::Prefix(Str::new_static("/")));
    }
}
