//! Gateways of both APIs: what a reference means, which hosts they serve, which pods they run on.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Lookup, Mesh, Object, ResourceId, is_gateway_template};
use crate::model::gateway_api::GatewaySpec;
use crate::model::istio::{Gateway, Server, VirtualService};
use crate::model::kubernetes::Workload;
use crate::model::{Header, Labels, Slot, Text};
use crate::schema::{nearest, same_but_for_style};
use crate::values::host::overlap;
use crate::yaml::is_placeholder;

/// Gateways by namespace and name.
#[derive(Debug, Default)]
pub(super) struct Gateways<'a> {
    istio: FxHashMap<(&'a str, &'a str), ResourceId>,
    kubernetes: FxHashMap<(&'a str, &'a str), ResourceId>,
    names: FxHashMap<&'a str, Vec<&'a str>>,
    /// Workloads that are gateway proxies.
    proxies: Vec<ResourceId>,
    /// Names of Gateways whose namespace is only assumed.
    assumed: FxHashSet<&'a str>,
}

/// A gateway of either API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayRef {
    /// `networking.istio.io` `Gateway`.
    Istio(ResourceId),
    /// `gateway.networking.k8s.io` `Gateway`.
    Kubernetes(ResourceId),
}

impl GatewayRef {
    /// The resource.
    pub fn id(self) -> ResourceId {
        match self {
            GatewayRef::Istio(id) | GatewayRef::Kubernetes(id) => id,
        }
    }
}

impl<'a> Gateways<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let mut gateways = Self::default();
        let key = |id: ResourceId| (mesh.header(id).namespace.as_str(), mesh.header(id).name.as_str());
        gateways
            .istio
            .extend(mesh.all::<Gateway<'a>>().map(|gateway| (key(gateway.id), gateway.id)));
        gateways.kubernetes.extend(
            mesh.all::<GatewaySpec<'a>>()
                .map(|gateway| (key(gateway.id), gateway.id)),
        );
        let all = gateways
            .istio
            .values()
            .chain(gateways.kubernetes.values())
            .map(|id| mesh.header(*id));
        gateways.assumed = all
            .filter(|header| !header.namespace_written)
            .map(|header| header.name.as_str())
            .collect();
        for (namespace, name) in gateways.istio.keys().chain(gateways.kubernetes.keys()) {
            gateways.names.entry(namespace).or_default().push(name);
        }
        gateways.names.values_mut().for_each(|names| names.sort_unstable());
        let templates = mesh.all::<Workload<'a>>();
        let proxies = templates.filter(|workload| workload.body.template.as_ref().is_some_and(is_gateway_template));
        gateways.proxies = proxies.map(|workload| workload.id).collect();
        gateways
    }
}

/// Namespace and name of a gateway reference in a resource of `namespace`.
fn gateway_name<'r>(reference: &'r str, namespace: &'r str) -> (&'r str, &'r str) {
    match (reference.split_once('/'), reference.split_once('.')) {
        (Some((".", name)), _) => (namespace, name),
        (Some(parts), _) => parts,
        (None, Some((name, rest))) => (rest.split('.').next().unwrap_or(rest), name),
        (None, None) => (namespace, reference),
    }
}

/// Whether two host patterns share a name. `*` and `*.suffix` are patterns; equal ones may differ in case.
pub fn hosts_overlap(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || overlap(a, b)
}

impl<'a> Mesh<'a> {
    /// The gateway that a `VirtualService` of `namespace` names: `name`, `namespace/name`, or in the old way
    /// `name.namespace` with or without more behind it.
    pub fn gateway(&self, reference: &Text<'_>, asker: &Header<'_>) -> Lookup<GatewayRef> {
        if is_placeholder(reference.as_str()) || !asker.namespace_known {
            return Lookup::Unknown;
        }
        let (place, name) = gateway_name(reference.as_str(), asker.namespace.as_str());
        if let Some(id) = self.gateways.istio.get(&(place, name)) {
            return self.sure_gateway(GatewayRef::Istio(*id), asker);
        }
        if let Some(id) = self.gateways.kubernetes.get(&(place, name)) {
            return self.sure_gateway(GatewayRef::Kubernetes(*id), asker);
        }
        let perhaps_here = !self.settings.complete && self.gateways.assumed.contains(name);
        if perhaps_here || !self.owns(Slot::Gateway, place, asker) && !self.owns(Slot::KubernetesGateway, place, asker)
        {
            return Lookup::Unknown;
        }
        let siblings = self.gateways.names.get(place).map_or(&[][..], Vec::as_slice);
        let nearest = nearest(name, siblings.iter().copied()).map(|near| {
            if reference.contains(['/', '.']) {
                format!("{place}/{near}")
            } else {
                near.to_owned()
            }
        });
        Lookup::Absent { nearest }
    }

    /// Whether two references in resources of one namespace mean the same gateway.
    pub fn same_gateway(one: &str, other: &str, namespace: &str) -> bool {
        one == other
            || one != "mesh" && other != "mesh" && gateway_name(one, namespace) == gateway_name(other, namespace)
    }

    fn sure_gateway(&self, gateway: GatewayRef, asker: &Header<'_>) -> Lookup<GatewayRef> {
        if self.is_surely(self.header(gateway.id()), asker) {
            Lookup::Found(gateway)
        } else {
            Lookup::Unknown
        }
    }

    /// Whether a gateway serves a host of a `VirtualService`.
    pub fn serves(&self, gateway: GatewayRef, host: &str, virtual_service: Object<'_, 'a, VirtualService<'a>>) -> bool {
        let namespace = virtual_service.header.namespace.as_str();
        match gateway {
            GatewayRef::Istio(id) => {
                let Some(gateway) = self.object::<Gateway<'a>>(id) else {
                    return true;
                };
                let home = gateway.header.namespace.as_str();
                let mut servers = gateway.body.servers.iter();
                servers.any(|server| self.server_takes(server, home, host, namespace))
            }
            GatewayRef::Kubernetes(id) => {
                let Some(gateway) = self.object::<GatewaySpec<'a>>(id) else {
                    return true;
                };
                let full = self.host_name(host, namespace).full(self);
                let covers = |pattern: &str| hosts_overlap(pattern, host) || hosts_overlap(pattern, &full);
                gateway.body.listeners.iter().any(|listener| match &listener.hostname {
                    Some(hostname) if !hostname.is_empty() => {
                        is_placeholder(hostname.as_str()) || covers(hostname.as_str())
                    }
                    _ => true,
                })
            }
        }
    }

    /// Whether a server of a Gateway in namespace `home` takes a host from `namespace`.
    pub(super) fn server_takes(&self, server: &Server<'a>, home: &str, host: &str, namespace: &str) -> bool {
        let full = self.host_name(host, namespace).full(self);
        server.hosts.iter().any(|entry| {
            let (scope, pattern) = entry.as_str().split_once('/').unwrap_or(("*", entry.as_str()));
            let admitted = scope == "*" || scope == namespace || scope == "." && home == namespace;
            let covers = hosts_overlap(pattern, host) || hosts_overlap(pattern, &full);
            is_placeholder(entry.as_str()) || admitted && covers
        })
    }

    /// Whether pods take the configuration of a gateway. They may run in any namespace.
    pub fn gateway_workloads(&self, gateway: Object<'_, 'a, Gateway<'a>>) -> Lookup<()> {
        let selector = &gateway.body.selector;
        // Pods that a controller makes for a Gateway of the Gateway API have labels that no template shows.
        let made = ["gateway.networking.k8s.io/gateway-name", "istio.io/gateway-name"];
        if selector.is_empty() || selector.placeholder() || made.iter().any(|key| selector.get(key).is_some()) {
            return Lookup::Unknown;
        }
        let wanted: Vec<_> = selector.iter().collect();
        if self.select(None, &wanted).next().is_some() {
            return Lookup::Found(());
        }
        let near = self.near_label(&wanted);
        if self.settings.complete {
            return Lookup::Absent { nearest: near };
        }
        let home = gateway.header.namespace.as_str();
        let proxies = || self.gateways.proxies.iter().map(|id| self.header(*id));
        let owned =
            proxies().any(|proxy| proxy.namespace.as_str() == home) && self.owns(Slot::Workload, home, gateway.header);
        let misspelt = near.as_ref().is_some_and(|near| same_but_for_style(near, wanted[0].1));
        if (owned || misspelt) && !proxies().any(|proxy| proxy.patched) {
            Lookup::Absent { nearest: near }
        } else {
            Lookup::Unknown
        }
    }

    /// The value of a gateway proxy's label that is nearly the one wanted, where only one label is.
    fn near_label(&self, wanted: &[(&str, &str)]) -> Option<String> {
        let [(key, value)] = wanted else { return None };
        let labels = self.gateways.proxies.iter().filter_map(|id| self.labels_of(*id));
        nearest(value, labels.filter_map(|labels| labels.get(key)).map(Text::as_str)).map(str::to_owned)
    }

    /// Whether labels are those of a gateway's pods: they select such pods, a Gateway selects by them, or they have a label
    /// that only gateways have.
    pub fn selects_gateways(&self, selector: &Labels<'a>, namespace: Option<&str>) -> bool {
        let wanted: Vec<_> = selector.iter().collect();
        let mut pods = self.select(namespace, &wanted).peekable();
        if pods.peek().is_some() {
            return pods.all(|id| self.template_of(id).is_some_and(is_gateway_template));
        }
        let own_label = ["istio", "gateway.networking.k8s.io/gateway-name"]
            .iter()
            .any(|key| selector.get(key).is_some());
        own_label
            || self
                .all::<Gateway<'a>>()
                .any(|gateway| !gateway.body.selector.is_empty() && gateway.body.selector.select(selector))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_name_a_namespace_in_three_ways() {
        assert_eq!(gateway_name("edge", "shop"), ("shop", "edge"));
        assert_eq!(gateway_name("./edge", "shop"), ("shop", "edge"));
        assert_eq!(gateway_name("infra/edge", "shop"), ("infra", "edge"));
        assert_eq!(gateway_name("edge.infra", "shop"), ("infra", "edge"));
        assert_eq!(gateway_name("edge.infra.svc.cluster.local", "shop"), ("infra", "edge"));
    }

    #[test]
    fn patterns_overlap_by_suffix() {
        for (a, b) in [
            ("*", "x.y"),
            ("*.y", "x.y"),
            ("x.y", "*.y"),
            ("*.x.y", "*.y"),
            ("A.b", "a.B"),
        ] {
            assert!(hosts_overlap(a, b), "{a} {b}");
        }
        for (a, b) in [("*.y", "y"), ("x.y", "z.y"), ("*.x", "*.y")] {
            assert!(!hosts_overlap(a, b), "{a} {b}");
        }
    }
}
