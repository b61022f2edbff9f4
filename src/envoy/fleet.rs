//! All proxies of a mesh, and what is said of each when it is compiled.
//!
//! The configurations themselves are let go scope by scope: those of a large mesh together are many times its manifests.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::pods::PodGroup;
use super::size::Size;
use super::unused::Unused;
use super::{Configuration, World};
use crate::source::Span;

/// A proxy and how much is pushed to it.
#[derive(Debug)]
pub struct Compiled<'w, 'm, 'a> {
    /// The proxy.
    pub proxy: &'w PodGroup<'m, 'a>,
    /// How much it is told.
    pub size: Size,
}

/// Every proxy of a mesh.
#[derive(Debug)]
pub struct Fleet<'w, 'm, 'a> {
    /// What does not depend on the proxy.
    pub world: &'w World<'m, 'a>,
    /// The proxies in the order of their resources.
    pub proxies: Vec<Compiled<'w, 'm, 'a>>,
    /// The patches of EnvoyFilters that changed something.
    pub patched: FxHashSet<Span>,
    /// What came to nothing at some proxy, each once.
    pub unused: FxHashSet<Unused>,
}

impl<'w, 'm, 'a> Fleet<'w, 'm, 'a> {
    /// Compiles every proxy. Configurations with more clusters than `measured_above` are measured in bytes.
    pub fn compile(world: &'w World<'m, 'a>, measured_above: usize) -> Self {
        let scopes = world.scopes_of_proxies();
        let parts = scopes
            .par_iter()
            .map(|proxies| Part::of(world, proxies, measured_above));
        let mut fleet = Self {
            world,
            proxies: Vec::new(),
            patched: FxHashSet::default(),
            unused: FxHashSet::default(),
        };
        for part in parts.collect::<Vec<_>>() {
            fleet.proxies.extend(part.proxies);
            fleet.patched.extend(part.patched);
            fleet.unused.extend(part.unused);
        }
        fleet.proxies.sort_by_key(|compiled| compiled.proxy.resource);
        fleet
    }
}

/// What is said of the proxies of one scope.
#[derive(Default)]
struct Part<'w, 'm, 'a> {
    proxies: Vec<Compiled<'w, 'm, 'a>>,
    patched: Vec<Span>,
    unused: FxHashSet<Unused>,
}

impl<'w, 'm, 'a> Part<'w, 'm, 'a> {
    fn of(world: &World<'m, 'a>, proxies: &[&'w PodGroup<'m, 'a>], measured_above: usize) -> Self {
        let mut part = Self::default();
        let Some(first) = proxies.first() else {
            return part;
        };
        let is_patched = world.patches.concern(world, first);
        let start = |is_kept: bool| {
            if is_kept || is_patched {
                Configuration::default()
            } else {
                Configuration::counting()
            }
        };
        let mut shared = world.shared(first, start(false));
        let is_measured = shared.size(false).clusters > measured_above;
        if is_measured {
            shared = world.shared(first, Configuration::default());
        }
        let shared_size = shared.size(is_measured);
        for proxy in proxies {
            let own = world.own(proxy, start(is_measured));
            part.proxies.push(Compiled {
                proxy,
                size: shared_size + own.size(is_measured),
            });
            part.note(own);
        }
        part.note(shared);
        part
    }

    fn note(&mut self, configuration: Configuration) {
        self.patched.extend(configuration.patched);
        self.unused.extend(configuration.unused);
    }
}
