//! Gateway classes: which of istiod's controllers takes a Gateway.

use crate::mesh::Mesh;
use crate::model::gateway_api::{GatewayClassSpec, GatewaySpec};

/// A controller of istiod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// Gateways with listeners and routes.
    Gateway,
    /// Waypoints of ambient mode.
    Waypoint,
    /// Gateways that another cluster runs, and those between networks: nothing is compiled for them.
    Elsewhere,
}

impl Controller {
    /// The controller of a Gateway's class, if it is one of istiod's: as the GatewayClass says, else by the names of the
    /// classes that istiod makes itself.
    pub fn of(mesh: &Mesh<'_>, gateway: &GatewaySpec<'_>) -> Option<Self> {
        let class = gateway.gateway_class_name.as_ref()?.as_str();
        let written = (mesh.all::<GatewayClassSpec<'_>>()).find(|object| object.header.name.as_str() == class);
        let controller = written.map(|object| object.body.controller_name.map_or("", |name| name.as_str()));
        match (controller, class) {
            (Some("istio.io/gateway-controller"), _) | (None, "istio") => Some(Self::Gateway),
            (Some("istio.io/mesh-controller"), _) | (None, "istio-waypoint") => Some(Self::Waypoint),
            (Some("istio.io/unmanaged-gateway" | "istio.io/eastwest-controller"), _)
            | (None, "istio-remote" | "istio-east-west") => Some(Self::Elsewhere),
            _ => None,
        }
    }
}
