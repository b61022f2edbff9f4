//! Routes before any proxy asks: VirtualServices and the routes of the Gateway API in one model, and what becomes of them
//! when one does.

pub mod compile;
pub mod connections;
mod lower;
pub mod model;
mod reach;
mod reached;

use rustc_hash::FxHashMap;

use super::environment::Environment;
use super::message::{RetryPolicy, Str};
use model::VirtualRoutes;
pub use reached::Reached;

/// A place in [`Routes::all`].
pub type RoutesId = usize;

pub use lower::virtual_services;

/// All routes of a mesh.
#[derive(Debug, Default)]
pub struct Routes<'m> {
    /// By age, then name, then namespace.
    pub all: Vec<VirtualRoutes<'m>>,
    /// How often a failed request is sent again where no rule says, `defaultHttpRetryPolicy`; `None` is never.
    pub default_retries: Option<RetryPolicy>,
    by_gateway: FxHashMap<Str, Vec<RoutesId>>,
    /// Those that name `mesh`, by their namespace.
    of_mesh: FxHashMap<&'m str, Vec<RoutesId>>,
}

impl<'m> Routes<'m> {
    /// Indexes lowered VirtualServices, Ingresses and routes of the Gateway API.
    pub fn new(environment: &Environment<'m, '_>, mut all: Vec<VirtualRoutes<'m>>) -> Self {
        all.sort_by(|a, b| (a.created, &a.name, a.namespace).cmp(&(b.created, &b.name, b.namespace)));
        let mut by_gateway: FxHashMap<Str, Vec<RoutesId>> = FxHashMap::default();
        let mut of_mesh: FxHashMap<&str, Vec<RoutesId>> = FxHashMap::default();
        for (id, routes) in all.iter().enumerate() {
            if routes.gateways.iter().any(|gateway| gateway == "mesh") {
                of_mesh.entry(routes.namespace).or_default().push(id);
            }
            for gateway in &routes.gateways {
                let known = by_gateway.entry(gateway.clone()).or_default();
                if known.last() != Some(&id) {
                    known.push(id);
                }
            }
        }
        let default_retries = environment.config.default_http_retry_policy.as_deref();
        Self {
            all,
            default_retries: default_retries.map_or_else(|| Some(lower::default_policy()), lower::policy),
            by_gateway,
            of_mesh,
        }
    }

    /// Those that name a gateway (`namespace/name`, or `mesh`), in order.
    pub fn named<'r>(&'r self, gateway: &str) -> impl Iterator<Item = &'r VirtualRoutes<'m>> + use<'r, 'm> {
        let named = self.by_gateway.get(gateway).map_or(&[][..], Vec::as_slice);
        named.iter().map(|id| &self.all[*id])
    }

    /// Those of a namespace that name `mesh`.
    pub fn of_mesh(&self, namespace: &str) -> &[RoutesId] {
        self.of_mesh.get(namespace).map_or(&[], Vec::as_slice)
    }

    /// Those that name a gateway (`namespace/name`, or `mesh`) and are exported to a namespace, in order.
    pub fn of_gateway<'r>(
        &'r self,
        gateway: &str,
        namespace: &'r str,
    ) -> impl Iterator<Item = (RoutesId, &'r VirtualRoutes<'m>)> + use<'r, 'm> {
        let named = self.by_gateway.get(gateway).map_or(&[][..], Vec::as_slice);
        let named = named.iter().map(|id| (*id, &self.all[*id]));
        named.filter(move |(_, routes)| routes.export_to.admits(namespace))
    }
}
