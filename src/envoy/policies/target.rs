//! Whom a policy reaches.

use crate::envoy::World;
use crate::envoy::message::Str;
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::registry::Service;
use crate::mesh::Provider;
use crate::model::Header;
use crate::model::istio::{PolicyTargetReference, Targets};

/// What policies are attached to: a proxy, or at a waypoint one of the services behind it.
#[derive(Clone, Copy, Debug)]
pub struct Target<'t> {
    /// The namespace of the pods.
    pub namespace: &'t str,
    /// Their labels, sorted.
    pub labels: &'t [(Str, Str)],
    /// What the proxy is.
    pub role: Role,
    /// The service whose chain it is, at a waypoint.
    pub service: Option<ServiceName<'t>>,
}

/// A service as references name it.
#[derive(Clone, Copy, Debug)]
pub struct ServiceName<'t> {
    /// `Service` or `ServiceEntry`.
    pub kind: &'static str,
    /// The resource's name.
    pub name: &'t str,
    /// Its namespace.
    pub namespace: &'t str,
}

impl<'t> Target<'t> {
    /// A proxy.
    pub fn of(proxy: &'t PodGroup<'_, '_>) -> Self {
        Self {
            namespace: proxy.namespace,
            labels: &proxy.labels,
            role: proxy.role.unwrap_or(Role::Sidecar),
            service: None,
        }
    }

    /// The chains of one service at a waypoint.
    #[must_use]
    pub fn for_service(self, service: &'t Service<'_, '_>) -> Self {
        let kind = match service.provider {
            Provider::Service(_) => "Service",
            Provider::ServiceEntry(_) => "ServiceEntry",
        };
        let service = ServiceName {
            kind,
            name: service.header.name.as_str(),
            namespace: service.namespace,
        };
        Self {
            service: Some(service),
            ..self
        }
    }

    /// A label of the pods.
    pub fn label(&self, key: &str) -> Option<&'t str> {
        let place = self.labels.binary_search_by(|(name, _)| name.as_str().cmp(key));
        place.ok().map(|place| self.labels[place].1.as_str())
    }

    /// The Gateway of the Gateway API that the pods run for.
    pub fn gateway(&self) -> Option<&'t str> {
        self.label("gateway.networking.k8s.io/gateway-name")
    }

    /// Whether a resource of its own or the root namespace is attached to it (catalogue: policies, 45).
    pub fn takes(&self, world: &World<'_, '_>, header: &Header<'_>, targets: Targets<'_, '_>) -> bool {
        let mut references = targets.references().peekable();
        if references.peek().is_some() {
            return self.gateway().is_some() && references.any(|reference| self.is_named(world, header, reference));
        }
        let by_selector =
            self.gateway().is_none() || world.environment.flag("ENABLE_SELECTOR_BASED_K8S_GATEWAY_POLICY", true);
        self.role != Role::Waypoint && by_selector && self.is_selected(targets)
    }

    fn is_selected(&self, targets: Targets<'_, '_>) -> bool {
        let mut labels = targets.selector.iter().flat_map(|selector| selector.labels.iter());
        labels.all(|(key, value)| self.label(key) == Some(value))
    }

    fn is_named(&self, world: &World<'_, '_>, header: &Header<'_>, reference: &PolicyTargetReference<'_>) -> bool {
        let policy = header.namespace.as_str();
        let name = reference.name.map_or("", |name| name.as_str());
        let group = reference.group.map_or("", |group| group.as_str());
        let is_own = |namespace: &str| policy == namespace;
        match (group, reference.kind.map_or("", |kind| kind.as_str())) {
            ("gateway.networking.k8s.io", "Gateway") => is_own(self.namespace) && self.gateway() == Some(name),
            ("gateway.networking.k8s.io", "GatewayClass") => {
                self.role == Role::Waypoint && is_own(&world.mesh.settings.root_namespace) && name == "istio-waypoint"
            }
            ("" | "core" | "networking.istio.io", kind) => self
                .service
                .is_some_and(|service| service.kind == kind && is_own(service.namespace) && service.name == name),
            _ => false,
        }
    }
}
