//! Which routes of a listener speak of a host.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::envoy::World;
use crate::envoy::routing::RoutesId;
use crate::envoy::scope::EgressListener;
use crate::values::host::{is_covered, overlap};

/// The routes of a listener by their hosts. Places are those in [`EgressListener::routes`], where an earlier one precedes.
pub(super) struct RoutedHosts<'w> {
    exact: FxHashMap<&'w str, SmallVec<[usize; 1]>>,
    wildcards: Vec<(&'w str, usize)>,
    routes: &'w [RoutesId],
}

impl<'w> RoutedHosts<'w> {
    pub(super) fn new(world: &'w World<'_, '_>, listener: &'w EgressListener) -> Self {
        let mut hosts = Self {
            exact: FxHashMap::default(),
            wildcards: Vec::new(),
            routes: &listener.routes,
        };
        for (place, id) in listener.routes.iter().enumerate() {
            for host in &world.routes.all[*id].hosts {
                if host.starts_with('*') {
                    hosts.wildcards.push((host, place));
                } else {
                    hosts.exact.entry(host.as_str()).or_default().push(place);
                }
            }
        }
        hosts
    }

    /// The routes for a host, in order: those whose pattern and the host's have a name in common.
    pub(super) fn meeting(&self, host: &str) -> Vec<RoutesId> {
        let mut places: Vec<usize> = self.exact.get(host).map_or_else(Vec::new, |places| places.to_vec());
        let wildcards = self.wildcards.iter().filter(|(pattern, _)| overlap(pattern, host));
        places.extend(wildcards.map(|(_, place)| *place));
        if host.starts_with('*') {
            let exact = self.exact.iter().filter(|(name, _)| is_covered(name, host));
            places.extend(exact.flat_map(|(_, places)| places));
        }
        self.in_order(places)
    }

    /// The routes that may apply to one of these hosts, in order.
    pub(super) fn of_any<'h>(&self, hosts: impl Iterator<Item = &'h str>) -> Vec<RoutesId> {
        let mut places = Vec::new();
        for host in hosts {
            places.extend(self.exact.get(host).into_iter().flatten());
            let wildcards = self.wildcards.iter().filter(|(pattern, _)| is_covered(host, pattern));
            places.extend(wildcards.map(|(_, place)| *place));
        }
        self.in_order(places)
    }

    fn in_order(&self, mut places: Vec<usize>) -> Vec<RoutesId> {
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| self.routes[place]).collect()
    }

    /// The routes whose wildcard a host falls to: those of the longest, and of equal ones the first. None where any routes
    /// name the host itself (catalogue: hosts and ports, 28).
    pub(super) fn by_wildcard(&self, host: &str) -> Option<RoutesId> {
        if self.exact.contains_key(host) {
            return None;
        }
        let covering = self.wildcards.iter().filter(|(pattern, _)| is_covered(host, pattern));
        let best = covering.min_by_key(|(pattern, place)| (std::cmp::Reverse(pattern.len()), *place))?;
        Some(self.routes[best.1])
    }
}
