//! Waypoints, and the services and pods that they stand before.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::envoy::environment::Environment;
use crate::envoy::gateway_api::{Controller, GATEWAY_NAME, MANAGED};
use crate::envoy::message::Str;
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::registry::{Registry, Service, ServiceId};
use crate::mesh::Mesh;
use crate::model::gateway_api::GatewaySpec;
use crate::model::{Labels, Text};

/// The label that names a waypoint; `none` is none.
const USE: &str = "istio.io/use-waypoint";
/// The label that names the waypoint's namespace.
const USE_NAMESPACE: &str = "istio.io/use-waypoint-namespace";
/// The label that says whether a waypoint stands before services, pods, both or nothing.
const FOR: &str = "istio.io/waypoint-for";

/// A waypoint and what it stands before.
#[derive(Debug, Default)]
pub struct Waypoint {
    /// The services, in the order of the registry.
    pub services: Vec<ServiceId>,
    /// Their hosts.
    pub hosts: FxHashSet<Str>,
    /// Addresses of pods.
    pub pods: Vec<Str>,
    /// What it takes.
    takes: Takes,
}

/// What a waypoint stands before.
#[derive(Clone, Copy, Debug, Default)]
struct Takes {
    services: bool,
    pods: bool,
}

/// Namespace and name of a Gateway.
type Key<'m> = (&'m str, &'m str);

/// All waypoints of a mesh; none where istiod does not serve ambient mode.
#[derive(Debug, Default)]
pub struct Waypoints<'m> {
    all: Vec<Waypoint>,
    by_gateway: FxHashMap<Key<'m>, usize>,
}

impl<'m> Waypoints<'m> {
    /// Finds the waypoints and what they stand before.
    pub fn new<'a>(
        mesh: &'m Mesh<'a>,
        environment: &Environment<'m, 'a>,
        pods: &[PodGroup<'m, 'a>],
        registry: &Registry<'m, 'a>,
    ) -> Self {
        let mut waypoints = Self::default();
        if !environment.ambient() {
            return waypoints;
        }
        for gateway in mesh.all::<GatewaySpec<'a>>() {
            if Controller::of(mesh, gateway.body) == Some(Controller::Waypoint) {
                let key = (gateway.header.namespace.as_str(), gateway.header.name.as_str());
                let takes = Takes::of(&gateway.header.labels);
                waypoints.by_gateway.insert(key, waypoints.all.len());
                waypoints.all.push(Waypoint {
                    takes,
                    ..Waypoint::default()
                });
            }
        }
        for (id, service) in registry.services.iter().enumerate() {
            waypoints.attach_service(mesh, id, service);
        }
        for pod in pods {
            waypoints.attach_pods(mesh, pod);
        }
        waypoints
    }

    fn attach_service(&mut self, mesh: &Mesh<'_>, id: ServiceId, service: &Service<'_, '_>) {
        let is_waypoint = |place: usize| {
            let endpoints = &service.endpoints[place];
            endpoints
                .iter()
                .any(|endpoint| endpoint.label(MANAGED) == Some("istio.io-mesh-controller"))
        };
        if service.addresses.is_empty() || (0..service.ports.len()).any(is_waypoint) {
            return;
        }
        let own = |key: &str| service.header.labels.get(key).map(Text::as_str);
        let Some((namespace, name)) = named(mesh, service.namespace, &own) else {
            return;
        };
        let place = self.by_gateway.get(&(namespace, name));
        let Some(waypoint) = place
            .map(|place| &mut self.all[*place])
            .filter(|waypoint| waypoint.takes.services)
        else {
            return;
        };
        waypoint.services.push(id);
        waypoint.hosts.insert(service.host.clone());
    }

    fn attach_pods(&mut self, mesh: &Mesh<'_>, pod: &PodGroup<'_, '_>) {
        let own = |key: &str| pod.label(key);
        if pod.role == Some(Role::Waypoint) {
            return;
        }
        let Some(key) = named(mesh, pod.namespace, &own) else {
            return;
        };
        let place = self.by_gateway.get(&key);
        if let Some(waypoint) = place
            .map(|place| &mut self.all[*place])
            .filter(|waypoint| waypoint.takes.pods)
        {
            waypoint
                .pods
                .extend((0..pod.replicas).map(|number| pod.address(number, mesh)));
        }
    }

    /// The waypoint that a proxy runs for.
    pub fn of_proxy(&self, proxy: &PodGroup<'_, '_>) -> Option<&Waypoint> {
        let name = proxy.label(GATEWAY_NAME)?;
        let place = self.by_gateway.get(&(proxy.namespace, name))?;
        self.all.get(*place)
    }
}

impl Takes {
    fn of(labels: &Labels<'_>) -> Self {
        let takes = labels.get(FOR).map_or("service", Text::as_str);
        Self {
            services: matches!(takes, "service" | "all"),
            pods: matches!(takes, "workload" | "all"),
        }
    }
}

/// The waypoint that something names: its own label, else that of its namespace.
fn named<'n>(
    mesh: &'n Mesh<'_>,
    namespace: &'n str,
    own: &impl Fn(&str) -> Option<&'n str>,
) -> Option<(&'n str, &'n str)> {
    let (name, place) = match own(USE) {
        Some(name) => (name, own(USE_NAMESPACE)),
        None => (
            label_of(mesh, namespace, USE)?,
            label_of(mesh, namespace, USE_NAMESPACE),
        ),
    };
    (name != "none").then_some((place.unwrap_or(namespace), name))
}

/// A label of a namespace.
fn label_of<'n>(mesh: &'n Mesh<'_>, namespace: &str, key: &str) -> Option<&'n str> {
    let namespace = mesh.namespace(namespace)?;
    namespace.header.labels.get(key).map(Text::as_str)
}
