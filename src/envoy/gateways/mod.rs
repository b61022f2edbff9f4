//! Gateways: those of Istio's API, of the Gateway API and of Ingresses in one model, and what becomes of them at a proxy.

pub mod istio;
pub mod model;
pub mod tls;

use super::environment::Environment;
use crate::mesh::Mesh;
use model::GatewayServers;

/// All gateways of a mesh, by age, then name, then namespace: the order in which they are merged. Takes those that come
/// from elsewhere.
pub fn gateways<'m, 'a>(
    mesh: &'m Mesh<'a>,
    environment: &Environment<'m, 'a>,
    others: Vec<GatewayServers<'m>>,
) -> Vec<GatewayServers<'m>> {
    let mut all = istio::gateways(mesh, environment);
    all.extend(others);
    all.sort_by(|a, b| (a.created, &a.name, a.namespace).cmp(&(b.created, &b.name, b.namespace)));
    all
}
