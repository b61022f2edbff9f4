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

use super::filters::Filters;
use super::scope::Scope;
use super::{Configuration, Piece};

/// Adds the inbound listener and clusters of a sidecar.
pub fn compile(filters: &Filters<'_, '_, '_>, scope: &Scope, configuration: &mut Configuration) {
    let ports = ports::ports(filters.world, filters.proxy, scope);
    let listeners = listener::listeners(filters, &ports);
    configuration.listeners.extend(listeners.into_iter().map(Piece::from));
    let clusters = ports
        .iter()
        .map(|port| clusters::of_port(filters.world, filters.proxy, port));
    let clusters = clusters.chain([clusters::passthrough(filters.world)]);
    configuration.clusters.extend(clusters.map(Piece::from));
}
