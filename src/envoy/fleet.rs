//! All proxies of a mesh, and what is said of each when it is compiled.
//!
//! The configurations themselves are let go scope by scope: those of a large mesh together are many times its manifests.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::pods::{PodGroup, Role};
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

/// How many of the scopes that no Sidecar narrows are compiled where they are large. They are told nearly the same, so that
/// these stand for the others.
const SAMPLES: usize = 4;

impl<'w, 'm, 'a> Fleet<'w, 'm, 'a> {
    /// Compiles every proxy. Configurations with more services than `large` are measured in bytes.
    pub fn compile(world: &'w World<'m, 'a>, large: usize) -> Self {
        let (alike, mut scopes): (Vec<_>, Vec<_>) = (world.scopes_of_proxies().into_iter())
            .map(|proxies| Scoped::new(world, proxies, large))
            .partition(|scoped| scoped.is_told_everything);
        let (samples, others) = alike.split_at(alike.len().min(SAMPLES));
        scopes.extend_from_slice(samples);
        let compiled = scopes.par_iter().map(|scoped| scoped.compile(world, None));
        let mut parts: Vec<Part<'_, '_, '_>> = compiled.collect();
        let stand_in = parts.last().map(|part| part.shared);
        let own: Vec<_> = others
            .par_iter()
            .map(|scoped| scoped.compile(world, stand_in))
            .collect();
        parts.extend(own);
        Self::join(world, parts)
    }

    fn join(world: &'w World<'m, 'a>, parts: Vec<Part<'w, 'm, 'a>>) -> Self {
        let mut fleet = Self {
            world,
            proxies: Vec::new(),
            patched: FxHashSet::default(),
            unused: FxHashSet::default(),
        };
        for part in parts {
            fleet.proxies.extend(part.proxies);
            fleet.patched.extend(part.patched);
            fleet.unused.extend(part.unused);
        }
        fleet.proxies.sort_by_key(|compiled| compiled.proxy.resource);
        fleet
    }
}

/// The proxies of one scope.
#[derive(Clone)]
struct Scoped<'w, 'm, 'a> {
    proxies: Vec<&'w PodGroup<'m, 'a>>,
    is_patched: bool,
    is_large: bool,
    /// Whether it is large because nothing narrows it.
    is_told_everything: bool,
}

/// What is said of the proxies of one scope.
#[derive(Default)]
struct Part<'w, 'm, 'a> {
    shared: Size,
    proxies: Vec<Compiled<'w, 'm, 'a>>,
    patched: Vec<Span>,
    unused: FxHashSet<Unused>,
}

impl<'w, 'm, 'a> Scoped<'w, 'm, 'a> {
    fn new(world: &World<'m, 'a>, proxies: Vec<&'w PodGroup<'m, 'a>>, large: usize) -> Self {
        let first = proxies.first();
        let is_patched = first.is_some_and(|first| world.patches.concern(world, first));
        let scope = first.map(|first| world.scope(first));
        let is_large = scope.as_ref().is_some_and(|scope| scope.services.len() > large);
        let is_sidecar = first.is_some_and(|first| first.role == Some(Role::Sidecar));
        Self {
            is_told_everything: is_large
                && is_sidecar
                && !is_patched
                && scope.is_some_and(|scope| scope.sidecar.is_none()),
            proxies,
            is_patched,
            is_large,
        }
    }

    /// Compiles what is shared, unless something stands for it, and what is each one's own.
    fn compile(&self, world: &World<'m, 'a>, stand_in: Option<Size>) -> Part<'w, 'm, 'a> {
        let mut part = Part::default();
        let Some(first) = self.proxies.first() else {
            return part;
        };
        part.shared = stand_in.unwrap_or_else(|| {
            let shared = world.shared(first, self.start());
            let size = shared.size(self.is_large);
            part.note(shared);
            size
        });
        let mut own_bytes = None;
        for proxy in &self.proxies {
            let own = world.own(proxy, self.start());
            let mut size = own.size(self.is_large && own_bytes.is_none());
            size.bytes = *own_bytes.get_or_insert(size.bytes);
            part.proxies.push(Compiled {
                proxy,
                size: part.shared + size,
            });
            part.note(own);
        }
        part
    }

    /// Pieces are kept only where they are patched or measured.
    fn start(&self) -> Configuration {
        if self.is_patched || self.is_large {
            Configuration::default()
        } else {
            Configuration::counting()
        }
    }
}

impl Part<'_, '_, '_> {
    fn note(&mut self, configuration: Configuration) {
        self.patched.extend(configuration.patched);
        self.unused.extend(configuration.unused);
    }
}
