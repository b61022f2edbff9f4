//! What a sidecar does with incoming traffic: the listener `virtualInbound` and the clusters behind it.
//!
//! Every port of the pod that a Service or the Sidecar names becomes chains and a cluster of its own; all others pass
//! through. Which chains a port has is a matter of its protocol and of PeerAuthentications.

mod backends;
mod chains;
mod clusters;
mod inspectors;
mod listener;
mod ports;
mod routes;
mod tls;

pub use backends::{Backends, ServiceTarget};
pub use tls::mutual_tls;

use super::Configuration;
use super::filters::Filters;
use super::policies::{Target, authorization};
use super::scope::Scope;
use crate::mesh::Protocol;

/// Adds the inbound listener and clusters of a sidecar.
pub fn compile(filters: &Filters<'_, '_, '_>, scope: &Scope, configuration: &mut Configuration) {
    let ports = ports::ports(filters.world, filters.proxy, scope);
    let listeners = listener::listeners(filters, &ports);
    configuration.listeners.add_all(listeners);
    let clusters = ports.iter().map(|port| clusters::of_port(filters, port));
    let clusters = clusters.chain([clusters::passthrough(filters)]);
    configuration.clusters.add_all(clusters);
    let is_tcp = |port: &ports::InboundPort<'_, '_>| !port.protocol.is_http() && port.protocol != Protocol::Auto;
    if ports.iter().any(is_tcp) {
        let target = Target::of(filters.proxy);
        let unused = authorization::unused_on_tcp(filters.world, &target);
        configuration.unused.extend(unused);
    }
}
