//! All proxies of a mesh, each with what is pushed to it.

use rayon::prelude::*;

use super::pods::PodGroup;
use super::{ProxyConfiguration, World};

/// A proxy and its configuration. Proxies of the same scope share its pieces.
#[derive(Debug)]
pub struct Compiled<'w, 'm, 'a> {
    /// The proxy.
    pub proxy: &'w PodGroup<'m, 'a>,
    /// What is pushed to it.
    pub configuration: ProxyConfiguration,
}

/// Every proxy of a mesh.
#[derive(Debug)]
pub struct Fleet<'w, 'm, 'a> {
    /// What does not depend on the proxy.
    pub world: &'w World<'m, 'a>,
    /// The proxies in the order of their resources.
    pub proxies: Vec<Compiled<'w, 'm, 'a>>,
}

impl<'w, 'm, 'a> Fleet<'w, 'm, 'a> {
    /// Compiles every proxy.
    pub fn compile(world: &'w World<'m, 'a>) -> Self {
        let proxies: Vec<_> = world.proxies().collect();
        let compiled = proxies.into_par_iter().map(|proxy| Compiled {
            proxy,
            configuration: world.compile(proxy),
        });
        Self {
            world,
            proxies: compiled.collect(),
        }
    }
}
