//! VirtualServices lowered into the route model.

mod delegates;
mod filters;
mod headers;
mod http;

use super::model::{
    ConnectionMatch, Destination, Dialect, HttpRule, TcpRule, TlsMatch, TlsRule, VirtualRoutes, WeightedDestination,
};
use crate::envoy::message::{Origin, Str};
use crate::envoy::registry::UNDATED;
use crate::mesh::{ExportTo, Mesh, Object};
use crate::model::istio::{self, RouteDestination, VirtualService};
use crate::model::{Header, Labels, Text};
use crate::source::Span;
use delegates::Delegates;
pub(super) use filters::{default_policy, policy};

/// All VirtualServices with hosts of their own, with the rules of those that they delegate to.
pub fn virtual_services<'m>(mesh: &'m Mesh<'_>) -> Vec<VirtualRoutes<'m>> {
    let ours = || {
        mesh.all::<VirtualService<'_>>()
            .filter(|object| object.header.cluster == 0)
    };
    let delegates = Delegates::new(mesh, ours().filter(|object| object.body.hosts.is_empty()));
    let with_hosts = ours().filter(|object| !object.body.hosts.is_empty());
    with_hosts
        .map(|object| Lowering::new(mesh, object.header).routes(object, &delegates))
        .collect()
}

/// Lowers the parts of one VirtualService.
#[derive(Clone, Copy)]
struct Lowering<'m, 'a> {
    mesh: &'m Mesh<'a>,
    header: &'m Header<'a>,
}

impl<'m, 'a> Lowering<'m, 'a> {
    fn new(mesh: &'m Mesh<'a>, header: &'m Header<'a>) -> Self {
        Self { mesh, header }
    }

    fn routes(self, object: Object<'m, 'a, VirtualService<'a>>, delegates: &Delegates<'m>) -> VirtualRoutes<'m> {
        let (header, body) = (self.header, object.body);
        let (name, namespace) = (header.name.as_str(), header.namespace.as_str());
        VirtualRoutes {
            name: Str::new(name),
            namespace,
            credit: Str::from(format!(
                "/apis/networking.istio.io/v1/namespaces/{namespace}/virtual-service/{name}"
            )),
            created: header.created.map_or(UNDATED, |created| created.as_str()),
            hosts: body.hosts.iter().map(|host| self.host(host)).collect(),
            host_spans: body.hosts.iter().map(|host| host.span).collect(),
            gateways: self.gateways(&body.gateways, true),
            export_to: self.export_to(body),
            dialect: Dialect::Istio,
            http: self.http_rules(body, delegates),
            tls: body.tls.iter().map(|rule| self.tls_rule(rule)).collect(),
            tcp: body.tcp.iter().map(|rule| self.tcp_rule(rule)).collect(),
            span: header.span,
        }
    }

    /// The rules, with those of delegates in their places. A rule whose delegate is missing, has hosts or is not exported
    /// here vanishes (catalogue: routes, 51).
    fn http_rules(self, body: &VirtualService<'a>, delegates: &Delegates<'m>) -> Vec<HttpRule> {
        let mut rules = Vec::new();
        for written in &body.http {
            let rule = self.http_rule(written);
            match written.delegate.as_deref() {
                Some(delegate) => rules.extend(delegates.merged(&rule, delegate, self.header)),
                None => rules.push(rule),
            }
        }
        rules
    }

    fn export_to(self, body: &'m VirtualService<'a>) -> ExportTo<'m> {
        export_to(self.mesh, self.header, body)
    }

    /// The full name of a host, in lower case: only one without a dot is completed (catalogue: hosts and ports, 24).
    fn host(self, host: &Text<'_>) -> Str {
        let full = self.full(host.as_str());
        if full.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Str::from(full.to_ascii_lowercase())
        } else {
            full
        }
    }

    fn full(self, host: &str) -> Str {
        if host.contains('.') || host.starts_with('*') {
            Str::new(host)
        } else {
            let domain = &self.mesh.settings.cluster_domain;
            Str::from(format!("{host}.{}.svc.{domain}", self.header.namespace))
        }
    }

    /// References to gateways, resolved. A VirtualService without any is for the mesh; a match without any says nothing.
    fn gateways(self, written: &[Text<'a>], default_mesh: bool) -> Vec<Str> {
        if written.is_empty() && default_mesh {
            return vec![Str::new_static("mesh")];
        }
        let resolve = |reference: &Text<'a>| match reference.as_str() {
            "mesh" => Str::new_static("mesh"),
            reference => {
                let (namespace, name) = gateway_name(reference, self.header.namespace.as_str());
                Str::from(format!("{namespace}/{name}"))
            }
        };
        written.iter().map(resolve).collect()
    }

    fn destination(self, written: Option<&istio::Destination<'a>>, span: Span) -> Destination {
        let host = written.and_then(|destination| destination.host);
        let port = written.and_then(|destination| destination.port.as_ref()?.number);
        Destination {
            host: host.map_or(Str::default(), |host| self.full(host.as_str())),
            subset: text(written.and_then(|destination| destination.subset)),
            port: port
                .and_then(|number| u32::try_from(number.value).ok())
                .filter(|number| *number != 0),
            cluster: None,
            span: written.map_or(span, |destination| destination.span),
        }
    }

    fn tls_rule(self, rule: &istio::TlsRoute<'a>) -> TlsRule {
        let matches = rule.matches.iter().map(|entry| TlsMatch {
            sni_hosts: entry.sni_hosts.iter().map(|host| Str::new(host.as_str())).collect(),
            connection: ConnectionMatch {
                destination_subnets: texts(&entry.destination_subnets),
                port: entry
                    .port
                    .and_then(|port| u32::try_from(port.value).ok())
                    .filter(|port| *port != 0),
                source_labels: labels(&entry.source_labels),
                source_namespace: entry
                    .source_namespace
                    .filter(|name| !name.is_empty())
                    .map(|name| Str::new(name.as_str())),
                gateways: self.gateways(&entry.gateways, false),
            },
        });
        TlsRule {
            matches: matches.collect(),
            destinations: self.connection_destinations(&rule.route),
            origin: Origin::of(rule.span),
        }
    }

    fn tcp_rule(self, rule: &istio::TcpRoute<'a>) -> TcpRule {
        let matches = rule.matches.iter().map(|entry| ConnectionMatch {
            destination_subnets: texts(&entry.destination_subnets),
            port: entry
                .port
                .and_then(|port| u32::try_from(port.value).ok())
                .filter(|port| *port != 0),
            source_labels: labels(&entry.source_labels),
            source_namespace: entry
                .source_namespace
                .filter(|name| !name.is_empty())
                .map(|name| Str::new(name.as_str())),
            gateways: self.gateways(&entry.gateways, false),
        });
        TcpRule {
            matches: matches.collect(),
            destinations: self.connection_destinations(&rule.route),
            origin: Origin::of(rule.span),
        }
    }

    fn connection_destinations(self, routes: &[RouteDestination<'a>]) -> Vec<WeightedDestination> {
        let destinations = routes.iter().map(|route| WeightedDestination {
            destination: self.destination(route.destination.as_ref(), route.span),
            weight: weight(route.weight),
            headers: super::model::HeaderChanges::default(),
        });
        destinations.collect()
    }
}

fn export_to<'m>(mesh: &'m Mesh<'_>, header: &'m Header<'_>, body: &'m VirtualService<'_>) -> ExportTo<'m> {
    ExportTo::of(
        &body.export_to,
        &mesh.settings.virtual_service_export_to,
        header.namespace.as_str(),
    )
}

/// Namespace and name of a reference in a VirtualService: `name`, `namespace/name`, or in the old way `name.namespace` with
/// or without more behind it.
fn gateway_name<'r>(reference: &'r str, namespace: &'r str) -> (&'r str, &'r str) {
    match (reference.split_once('/'), reference.split_once('.')) {
        (Some((".", name)), _) => (namespace, name),
        (Some(parts), _) => parts,
        (None, Some((name, rest))) => (rest.split('.').next().unwrap_or(rest), name),
        (None, None) => (namespace, reference),
    }
}

fn weight(written: Option<crate::model::Spanned<i64>>) -> Option<u32> {
    written.and_then(|weight| u32::try_from(weight.value).ok())
}

fn text(text: Option<Text<'_>>) -> Str {
    text.map_or(Str::default(), |text| Str::new(text.as_str()))
}

fn texts(list: &[Text<'_>]) -> Vec<Str> {
    list.iter().map(|text| Str::new(text.as_str())).collect()
}

fn labels(labels: &Labels<'_>) -> Vec<(Str, Str)> {
    labels
        .iter()
        .map(|(key, value)| (Str::new(key), Str::new(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gateways_are_named_in_three_ways() {
        assert_eq!(gateway_name("front", "shop"), ("shop", "front"));
        assert_eq!(gateway_name("edge/front", "shop"), ("edge", "front"));
        assert_eq!(gateway_name("./front", "shop"), ("shop", "front"));
        assert_eq!(gateway_name("front.edge.svc.cluster.local", "shop"), ("edge", "front"));
    }
}
