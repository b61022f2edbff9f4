//! What a sidecar does with outgoing traffic: its listeners and their route configurations.

use super::pods::PodGroup;
use super::scope::Scope;
use super::{Configuration, World};

/// Adds the outbound listeners and route configurations of a sidecar.
pub fn compile<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    scope: &Scope,
    configuration: &mut Configuration,
) {
    let _ = (world, proxy, scope, configuration);
}
