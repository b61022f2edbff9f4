//! Routes before any proxy asks: VirtualServices and the routes of the Gateway API in one model, and what becomes of them
//! when one does.

pub mod compile;
mod lower;
pub mod model;
mod reach;

use super::environment::Environment;
use super::message::RetryPolicy;
use crate::mesh::Mesh;
use model::VirtualRoutes;

/// A place in [`Routes::all`].
pub type RoutesId = usize;

/// All routes of a mesh.
#[derive(Debug, Default)]
pub struct Routes<'m> {
    /// By age, then name, then namespace.
    pub all: Vec<VirtualRoutes<'m>>,
    /// How often a failed request is sent again where no rule says, `defaultHttpRetryPolicy`; `None` is never.
    pub default_retries: Option<RetryPolicy>,
}

impl<'m> Routes<'m> {
    /// Lowers all VirtualServices, and adds routes that come from elsewhere.
    pub fn new(mesh: &'m Mesh<'_>, environment: &Environment<'m, '_>, others: Vec<VirtualRoutes<'m>>) -> Self {
        let mut all = lower::virtual_services(mesh);
        all.extend(others);
        all.sort_by(|a, b| (a.created, &a.name, a.namespace).cmp(&(b.created, &b.name, b.namespace)));
        let default_retries = environment.config.default_http_retry_policy.as_deref();
        Self {
            all,
            default_retries: default_retries.map_or_else(|| Some(lower::default_policy()), lower::policy),
        }
    }

    /// Those that name a gateway (`namespace/name`, or `mesh`) and are exported to a namespace, in order.
    pub fn of_gateway<'r>(
        &'r self,
        gateway: &'r str,
        namespace: &'r str,
    ) -> impl Iterator<Item = (RoutesId, &'r VirtualRoutes<'m>)> {
        self.all.iter().enumerate().filter(move |(_, routes)| {
            routes.gateways.iter().any(|name| name == gateway) && routes.export_to.admits(namespace)
        })
    }
}
