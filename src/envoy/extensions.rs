//! WasmPlugins and TrafficExtensions as filters that fetch their configuration.

use super::World;
use super::message::{Filter, HttpFilter};
use super::policies::Target;
use super::telemetry::Class;

/// The extension filters of a chain by their phase.
#[derive(Clone, Debug, Default)]
pub struct Extensions {
    /// Before tokens are checked: `AUTHN`.
    pub authentication: Vec<HttpFilter>,
    /// Between tokens and authorization: `AUTHZ`.
    pub authorization: Vec<HttpFilter>,
    /// After authorization: `STATS`.
    pub statistics: Vec<HttpFilter>,
    /// Then those without a phase.
    pub unspecified: Vec<HttpFilter>,
}

/// The extension filters of a target's HTTP chains on a port. Passthrough chains have no port.
pub fn http_filters(world: &World<'_, '_>, target: &Target<'_>, class: Class, port: Option<u32>) -> Extensions {
    let _ = (world, target, class, port);
    Extensions::default()
}

/// The network extension filters of a target's chains on a port, in the order of their phases.
pub fn network_filters(world: &World<'_, '_>, target: &Target<'_>, class: Class, port: Option<u32>) -> Vec<Filter> {
    let _ = (world, target, class, port);
    Vec::new()
}
