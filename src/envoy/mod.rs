//! The compiler: a mesh in, the configuration of each proxy out, as istiod would push it.
//!
//! Takes a [`Mesh`] and hands on a [`World`], which knows all proxies, and for one of them a [`Configuration`]: listeners,
//! routes, clusters, endpoints and secrets in Envoy's own terms and istiod's own names. Every piece knows the places of the
//! resources that made it, and what became nothing is kept with its reason. Addresses are named, not numbered. Nothing
//! here reads a place to decide, and nothing prints.

pub mod ambient;
pub mod client_tls;
pub mod clusters;
pub mod destinations;
pub mod endpoints;
pub mod environment;
pub mod extensions;
pub mod filters;
pub mod fixed;
pub mod fleet;
pub mod gateway_api;
pub mod gateways;
pub mod inbound;
pub mod layer;
pub mod message;
pub mod mtls;
pub mod outbound;
pub mod patches;
pub mod pods;
pub mod policies;
pub mod providers;
pub mod proxy_settings;
pub mod registry;
pub mod routing;
pub mod scope;
pub mod secrets;
pub mod sharing;
pub mod size;
pub mod telemetry;
pub mod unused;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;

use ambient::Waypoints;
use destinations::Destinations;
use endpoints::{ClusterLocal, Networks};
use environment::Environment;
use filters::Filters;
use gateways::model::GatewayServers;
use inbound::Backends;
use layer::Layer;
use message::{Cluster, ClusterLoadAssignment, Json, Listener, Origin, RouteConfiguration, Str};
use mtls::Mtls;
use patches::{Context, Patches};
use pods::{PodGroup, Role};
use policies::Policies;
use registry::Registry;
use routing::Routes;
use scope::Scopes;
use sharing::Sharing;
use unused::Unused;

use crate::mesh::Mesh;
use crate::source::Span;

/// Everything that does not depend on the proxy that asks.
#[derive(Debug)]
pub struct World<'m, 'a> {
    /// The mesh.
    pub mesh: &'m Mesh<'a>,
    /// The settings of mesh and istiod.
    pub environment: Environment<'m, 'a>,
    /// All pods.
    pub pods: Vec<PodGroup<'m, 'a>>,
    /// All services.
    pub registry: Registry<'m, 'a>,
    /// Policies, telemetry and extensions, by namespace.
    pub policies: Policies<'m, 'a>,
    /// PeerAuthentications.
    pub mtls: Mtls<'m, 'a>,
    /// Which services lead to which pods.
    pub backends: Backends<'m, 'a>,
    /// The gateways of networks.
    pub networks: Networks,
    /// Services whose clients stay in their own cluster.
    pub cluster_local: ClusterLocal,
    /// All `DestinationRules`.
    pub destinations: Destinations<'m, 'a>,
    /// VirtualServices and the routes of the Gateway API.
    pub routes: Routes<'m>,
    /// All EnvoyFilters.
    pub patches: Patches<'m, 'a>,
    /// Gateways of all APIs, in the order in which they are merged.
    pub gateways: Vec<GatewayServers<'m>>,
    /// Waypoints, and what they stand before.
    pub waypoints: Waypoints<'m>,
    /// What proxies are told of.
    pub scopes: Scopes<'m, 'a>,
    pods_by_place: FxHashMap<Span, usize>,
    sharing: Sharing<'a>,
}

/// What istiod would push to one proxy: what it shares with the proxies of its scope, and what is its own.
#[derive(Clone, Debug, Default)]
pub struct ProxyConfiguration {
    /// What a sidecar sends, what a gateway or waypoint serves.
    pub shared: Arc<Configuration>,
    /// What arrives at a sidecar.
    pub own: Configuration,
    /// The address of the first of its pods, which stands for all of them. It has none of the shared listeners there: what
    /// a pod sends to itself never leaves.
    pub address: Str,
}

impl Configuration {
    /// One whose pieces are only counted.
    pub fn counting() -> Self {
        Self {
            listeners: Layer::new(false),
            routes: Layer::new(false),
            clusters: Layer::new(false),
            endpoints: Layer::new(false),
            ..Self::default()
        }
    }
}

impl ProxyConfiguration {
    /// Its parts.
    pub fn parts(&self) -> [&Configuration; 2] {
        [&self.shared, &self.own]
    }

    /// All of it in one.
    pub fn whole(&self) -> Configuration {
        let mut whole = Configuration::clone(&self.shared);
        whole.listeners.retain(|listener| !self.is_own_address(listener.name()));
        whole.listeners.extend(self.own.listeners.iter().cloned());
        whole.routes.extend(self.own.routes.iter().cloned());
        whole.clusters.extend(self.own.clusters.iter().cloned());
        whole.endpoints.extend(self.own.endpoints.iter().cloned());
        whole.secrets.extend(self.own.secrets.iter().cloned());
        whole.secrets.sort();
        whole.secrets.dedup();
        whole.unused.extend(self.own.unused.iter().cloned());
        whole.patched.extend(&self.own.patched);
        whole
    }

    /// Whether a listener stands at the address of its pod.
    fn is_own_address(&self, listener: &str) -> bool {
        let address = listener.rsplit_once('_').map_or(listener, |(address, _)| address);
        self.address == address
    }
}

/// A part of what istiod would push.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Configuration {
    /// LDS.
    pub listeners: Layer<Listener>,
    /// RDS.
    pub routes: Layer<RouteConfiguration>,
    /// CDS.
    pub clusters: Layer<Cluster>,
    /// EDS.
    pub endpoints: Layer<ClusterLoadAssignment>,
    /// The names of SDS.
    pub secrets: Vec<Str>,
    /// What came to nothing.
    #[serde(skip)]
    pub unused: Vec<Unused>,
    /// The patches of EnvoyFilters that changed something.
    #[serde(skip)]
    pub patched: Vec<Span>,
}

impl Configuration {
    /// With the names of the secrets that listeners and clusters ask for.
    fn with_secrets(mut self) -> Self {
        self.secrets = secrets::names(&self);
        self
    }
}

/// A resource of a configuration; proxies of one scope share it.
#[derive(Clone, Debug)]
pub enum Piece<T> {
    /// As it was compiled.
    Made(Arc<T>),
    /// Changed or added by an EnvoyFilter, in Envoy's JSON.
    Patched {
        /// The name.
        name: Str,
        /// What the patches made of it.
        json: Json,
        /// The patches, and what made the piece before.
        origin: Origin,
    },
}

impl Piece<Listener> {
    /// The listener's name.
    pub fn name(&self) -> &str {
        match self {
            Piece::Made(made) => &made.name,
            Piece::Patched { name, .. } => name,
        }
    }
}

impl<T> From<T> for Piece<T> {
    fn from(made: T) -> Self {
        Piece::Made(Arc::new(made))
    }
}

impl<T: Serialize> Serialize for Piece<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Piece::Made(made) => made.serialize(serializer),
            Piece::Patched { json, .. } => json.serialize(serializer),
        }
    }
}

impl<'m, 'a> World<'m, 'a> {
    /// Indexes what compiling needs.
    pub fn new(mesh: &'m Mesh<'a>) -> Self {
        let environment = Environment::new(mesh);
        let pods = pods::pods(mesh, &environment);
        let networks = Networks::new(mesh, &environment);
        let mtls = Mtls::new(mesh);
        let ((registry, backends), (mut all_routes, policies, patches, scopes, sharing)) = rayon::join(
            || {
                let registry = Registry::new(mesh, &environment, &pods, &mtls);
                let backends = Backends::new(mesh, &registry);
                (registry, backends)
            },
            || {
                (
                    routing::virtual_services(mesh),
                    Policies::new(mesh),
                    Patches::new(mesh),
                    Scopes::new(mesh),
                    Sharing::new(mesh),
                )
            },
        );
        let waypoints = Waypoints::new(mesh, &environment, &pods, &registry);
        let lowered = gateway_api::lower(mesh, &environment, &registry);
        all_routes.extend(lowered.routes);
        all_routes.extend(gateways::ingress_routes(mesh, &registry));
        let (routes, destinations) = rayon::join(
            || Routes::new(&environment, all_routes),
            || Destinations::new(mesh, lowered.backends),
        );
        let gateways = gateways::gateways(mesh, &environment, lowered.servers);
        Self {
            mesh,
            environment,
            pods_by_place: (pods.iter().enumerate())
                .map(|(place, pod)| (pod.span, place))
                .collect(),
            pods,
            registry,
            policies,
            backends,
            destinations,
            mtls,
            networks,
            cluster_local: ClusterLocal::new(mesh),
            routes,
            patches,
            gateways,
            waypoints,
            scopes,
            sharing,
        }
    }

    /// The pods that have a proxy.
    pub fn proxies(&self) -> impl Iterator<Item = &PodGroup<'m, 'a>> {
        self.pods.iter().filter(|pod| pod.role.is_some())
    }

    /// The proxies of each scope.
    fn scopes_of_proxies(&self) -> Vec<Vec<&PodGroup<'m, 'a>>> {
        self.sharing.scopes(self.proxies())
    }

    /// What istiod would push to a proxy.
    pub fn compile(&self, proxy: &PodGroup<'m, 'a>) -> ProxyConfiguration {
        ProxyConfiguration {
            shared: self.sharing.of(proxy, || self.shared(proxy, Configuration::default())),
            own: self.own(proxy, Configuration::default()),
            address: proxy.address(0, self.mesh),
        }
    }

    /// What the proxies of a scope share. Nothing in it may depend on the one proxy that happens to ask.
    fn shared(&self, proxy: &PodGroup<'m, 'a>, mut configuration: Configuration) -> Configuration {
        let scope = self.scope(proxy);
        match proxy.role {
            Some(Role::Sidecar) => outbound::compile(self, proxy, &scope, &mut configuration),
            Some(Role::Gateway) => gateways::compile(self, proxy, &scope, &mut configuration),
            _ => {}
        }
        if proxy.role == Some(Role::Waypoint) {
            ambient::compile(self, proxy, &scope, &mut configuration);
        } else {
            clusters::compile(self, proxy, &scope, &mut configuration);
            ambient::open_tunnels(self, &mut configuration);
        }
        patches::apply(self, proxy, Context::shared(proxy), configuration).with_secrets()
    }

    /// What arrives at a sidecar.
    fn own(&self, proxy: &PodGroup<'m, 'a>, mut configuration: Configuration) -> Configuration {
        if proxy.role == Some(Role::Sidecar) {
            let filters = Filters::new(self, proxy);
            inbound::compile(&filters, &self.scope(proxy), &mut configuration);
            return patches::apply(self, proxy, Context::SidecarInbound, configuration).with_secrets();
        }
        configuration
    }
}
