//! The Gateway API: its Gateways become pods, Services and gateway servers, its routes become virtual routes.
//!
//! Knows nothing of Istio's own kinds: both APIs meet in the models of [`gateways`](super::gateways::model) and
//! [`routing`](super::routing::model).

mod class;
mod deployment;
mod grants;
mod listeners;
mod namespaces;
mod tls;

pub use class::Controller;
pub use deployment::{GATEWAY_NAME, pods, services};

use super::environment::Environment;
use super::gateways::model::GatewayServers;
use crate::mesh::Mesh;
use grants::Grants;
use listeners::Listeners;
use tls::Certificates;

/// What the resources of the Gateway API come to.
#[derive(Debug, Default)]
pub struct Lowered<'m> {
    /// A server for each listener.
    pub servers: Vec<GatewayServers<'m>>,
}

/// Lowers all resources of the Gateway API.
pub fn lower<'m, 'a>(mesh: &'m Mesh<'a>, environment: &Environment<'m, 'a>) -> Lowered<'m> {
    let listeners = Listeners::new(mesh);
    let grants = Grants::new(mesh);
    let certificates = Certificates::new(mesh, &grants);
    Lowered {
        servers: listeners.servers(mesh, environment, &certificates),
    }
}
