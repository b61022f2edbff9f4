//! Ambient mode: tunnels (HBONE) that lead to ztunnels and waypoints, and what a waypoint itself is told.

mod chains;
mod clusters;
mod fixed;
mod internal;
mod routes;
mod terminate;
mod tunnel;
mod waypoints;

pub use waypoints::{Waypoint, Waypoints};

use super::filters::Filters;
use super::pods::PodGroup;
use super::scope::Scope;
use super::{Configuration, World};

/// The listener by which sidecars and gateways open tunnels, where istiod serves ambient mode.
pub fn open_tunnels(world: &World<'_, '_>, configuration: &mut Configuration) {
    if world.environment.ambient() {
        configuration.listeners.add(tunnel::listener());
    }
}

/// What a waypoint is told: it ends tunnels, and opens new ones to the endpoints of its services (catalogue: gateways, 69).
pub fn compile<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    scope: &Scope,
    configuration: &mut Configuration,
) {
    let empty = Waypoint::default();
    let waypoint = world.waypoints.of_proxy(proxy).unwrap_or(&empty);
    let filters = Filters::new(world, proxy);
    let listeners = [
        terminate::listener(world),
        internal::listener(&filters, scope, waypoint),
        tunnel::listener(),
        tunnel::inner_listener(),
        tunnel::outer_listener(),
    ];
    configuration.listeners.add_all(listeners);
    clusters::compile(world, proxy, waypoint, configuration);
}
