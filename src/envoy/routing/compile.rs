//! Rules turned into Envoy's routes, for one that asks.

use super::model::VirtualRoutes;
use crate::envoy::World;
use crate::envoy::message::{Route, Str};
use crate::envoy::pods::PodGroup;
use crate::envoy::scope::Scope;

/// Who asks for routes.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'q, 'm, 'a> {
    /// The proxy, whose labels `sourceLabels` must be among.
    pub proxy: &'q PodGroup<'m, 'a>,
    /// What it is told of.
    pub scope: &'q Scope,
    /// The gateways that the listener stands for: `mesh`, or Gateways as `namespace/name`.
    pub gateways: &'q [Str],
    /// What `sourceNamespace` must be: the namespace of the proxy, or that of the gateway.
    pub source_namespace: &'q str,
    /// The port of the listener or server; 0 where it stands for all ports.
    pub port: u32,
    /// Whether requests come by HTTPS.
    pub is_tls: bool,
    /// Whether a destination without a port may take the only port of its service. Sidecars see services by one port at a
    /// time, so that it is that of the listener.
    pub whole_services: bool,
}

/// The routes that rules come to for one that asks. None if no rule is for it.
pub fn http_routes(world: &World<'_, '_>, routes: &VirtualRoutes<'_>, asker: &Asker<'_, '_, '_>) -> Vec<Route> {
    let _ = (world, routes, asker);
    Vec::new()
}

/// The cluster of a host, a port and a subset, which may be empty.
pub fn cluster_name(port: u32, subset: &str, host: &str) -> Str {
    Str::from(format!("outbound|{port}|{subset}|{host}"))
}

/// The cluster to which a gateway between networks passes connections for a host, a port and a subset, as the SNI has it.
pub fn sni_cluster_name(port: u32, subset: &str, host: &str) -> Str {
    Str::from(format!("outbound_.{port}_.{subset}_.{host}"))
}
