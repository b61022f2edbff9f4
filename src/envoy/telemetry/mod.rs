//! Access logs, traces and metrics of a proxy: Telemetry resources over the mesh configuration.

use super::World;
use super::message::{AccessLog, Filter, HttpFilter, Json};
use super::policies::Target;

/// The kind of traffic that a listener carries. A waypoint's is inbound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// To the workload.
    Inbound,
    /// From the workload.
    Outbound,
    /// Through a gateway.
    Gateway,
}

/// What is told of a target's traffic.
#[derive(Clone, Debug, Default)]
pub struct Signals {}

impl Signals {
    /// The signals of a target. To be asked once for each proxy.
    pub fn of(world: &World<'_, '_>, target: &Target<'_>) -> Self {
        let _ = (world, target);
        Self::default()
    }

    /// The access logs of HTTP connection managers.
    pub fn http_access_logs(&self, class: Class) -> Vec<AccessLog> {
        let _ = class;
        Vec::new()
    }

    /// The access logs of TCP proxies.
    pub fn tcp_access_logs(&self, class: Class) -> Vec<AccessLog> {
        let _ = class;
        Vec::new()
    }

    /// The access logs of listeners: of connections that find no chain.
    pub fn listener_access_logs(&self, class: Class) -> Vec<AccessLog> {
        let _ = class;
        Vec::new()
    }

    /// The `tracing` of HTTP connection managers.
    pub fn tracing(&self, class: Class) -> Option<Json> {
        let _ = class;
        None
    }

    /// `istio.stats` of HTTP chains.
    pub fn http_stats(&self, class: Class) -> Vec<HttpFilter> {
        let _ = class;
        Vec::new()
    }

    /// `istio.stats` of TCP chains.
    pub fn tcp_stats(&self, class: Class) -> Vec<Filter> {
        let _ = class;
        Vec::new()
    }
}
