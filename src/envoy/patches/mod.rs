//! EnvoyFilters: patches of what was compiled (catalogue: policies, 54 to 59).
//!
//! A piece that no patch touches stays as it was made, and shared. One that is touched is written as JSON and changed
//! there, as the patches may set any field of any message.

mod clusters;
mod decode;
mod filters;
mod listeners;
mod matching;
mod merge;
mod patch;
mod pieces;
mod routes;

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::pods::PodGroup;
use super::policies::{Attachable, Target};
use super::unused::{Reason, Unused};
use super::{Configuration, World};
use crate::mesh::{Mesh, ResourceId};
use crate::model::istio::EnvoyFilter;
use patch::{Order, Patch, Taken};

pub use patch::Context;

/// All EnvoyFilters, their patches decoded.
#[derive(Debug)]
pub struct Patches<'m, 'a> {
    filters: Attachable<'m, 'a, EnvoyFilter<'a>>,
    patches: FxHashMap<ResourceId, Vec<Patch<'m, 'a>>>,
}

impl<'m, 'a> Patches<'m, 'a> {
    /// Indexes a mesh.
    pub fn new(mesh: &'m Mesh<'a>) -> Self {
        let read = |filter: &'m EnvoyFilter<'a>| filter.config_patches.iter().filter_map(Patch::read).collect();
        Self {
            filters: Attachable::new(mesh),
            patches: mesh
                .all::<EnvoyFilter<'a>>()
                .map(|filter| (filter.id, read(filter.body)))
                .collect(),
        }
    }

    /// Whether any EnvoyFilter is for a proxy.
    pub fn concern(&self, world: &World<'m, 'a>, proxy: &PodGroup<'m, 'a>) -> bool {
        self.filters.of_target(world, &Target::of(proxy)).next().is_some()
    }

    /// The patches that a part of a proxy's configuration takes: those of lower priority first, then those of the root namespace, then the older ones.
    fn of<'w>(&'w self, world: &World<'m, 'a>, proxy: &PodGroup<'m, 'a>, context: Context) -> Order<'w, 'm, 'a> {
        let target = Target::of(proxy);
        let mut filters: Vec<_> = (self.filters.of_target(world, &target))
            .map(|attached| {
                (
                    attached.object.body.priority.map_or(0, |priority| priority.value),
                    attached.object.id,
                )
            })
            .collect();
        filters.sort_by_key(|(priority, _)| *priority);
        let patches = filters
            .into_iter()
            .filter_map(|(_, id)| self.patches.get(&id))
            .flatten();
        let take = |patch| Taken {
            patch,
            used: Cell::new(false),
        };
        let taken = patches.filter(|patch| patch.is_for_proxies() && patch.is_for(context));
        Order {
            context,
            patches: taken.map(take).collect(),
        }
    }
}

/// Applies the patches of the EnvoyFilters that a proxy takes to one part of its configuration.
pub fn apply<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    context: Context,
    mut configuration: Configuration,
) -> Configuration {
    let order = world.patches.of(world, proxy, context);
    if order.patches.is_empty() {
        return configuration;
    }
    pieces::patch(&order, &mut configuration);
    let (used, idle): (Vec<_>, Vec<_>) = order.patches.iter().partition(|taken| taken.used.get());
    configuration.patched.extend(used.iter().map(|taken| taken.patch.span));
    configuration.unused.extend(idle.iter().map(|taken| Unused {
        reason: Reason::NothingPatched,
        span: taken.patch.span,
        because: None,
    }));
    configuration
}
