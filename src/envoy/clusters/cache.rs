//! The clusters of a service, compiled once for all proxies that see it alike.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::{Destination, destination, outbound, preserve_header_case};
use crate::envoy::destinations::MergedRule;
use crate::envoy::message::{Cluster, ClusterLoadAssignment};
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::registry::ServiceId;
use crate::envoy::sharing::View;
use crate::envoy::{Piece, World, endpoints};

/// A cluster, and its endpoints where istiod tells them.
#[derive(Clone, Debug)]
pub(super) struct Told {
    /// The number of the port.
    pub port: u32,
    /// The cluster.
    pub cluster: Piece<Cluster>,
    /// The endpoints.
    pub endpoints: Option<Piece<ClusterLoadAssignment>>,
}

/// How a client sees services.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Eyes {
    view: View,
    preserves_case: bool,
    by_sni: bool,
}

type OfServices = FxHashMap<(ServiceId, usize), Arc<OnceLock<Arc<[Told]>>>>;

/// The clusters that were compiled so far.
#[derive(Debug, Default)]
pub struct Clusters {
    seen: Mutex<FxHashMap<Eyes, Arc<Mutex<OfServices>>>>,
}

/// The clusters of services for one client.
pub(super) struct Sight<'w, 'm, 'a> {
    pub world: &'w World<'m, 'a>,
    pub client: &'w PodGroup<'m, 'a>,
    preserves_case: bool,
    by_sni: bool,
    services: Arc<Mutex<OfServices>>,
}

impl<'w, 'm, 'a> Sight<'w, 'm, 'a> {
    pub(super) fn new(
        world: &'w World<'m, 'a>,
        client: &'w PodGroup<'m, 'a>,
        preserves_case: bool,
        by_sni: bool,
    ) -> Self {
        let eyes = Eyes {
            view: world.sharing.view(client),
            preserves_case,
            by_sni,
        };
        let mut seen = world.clusters.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            world,
            client,
            preserves_case,
            by_sni,
            services: seen.entry(eyes).or_default().clone(),
        }
    }

    /// The clusters of all ports of a service, under the rule that the client follows.
    pub(super) fn of_service(&self, service: ServiceId, rule: Option<&'w MergedRule<'m, 'a>>) -> Arc<[Told]> {
        let compile = || {
            let all = destination::of_service(self.world, service, rule);
            all.filter_map(|destination| self.told(destination)).collect()
        };
        // Few gateways see services alike: what one is told of need not be kept for another.
        if self.client.role != Some(Role::Sidecar) {
            return compile();
        }
        let address = rule.map_or(0, |rule| std::ptr::from_ref(rule).addr());
        let slot = {
            let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
            services.entry((service, address)).or_default().clone()
        };
        slot.get_or_init(compile).clone()
    }

    fn told(&self, mut destination: Destination<'w, 'm, 'a>) -> Option<Told> {
        destination.by_sni = self.by_sni;
        let mut cluster = outbound::cluster(self.world, self.client, &destination)?;
        if self.preserves_case {
            preserve_header_case(&mut cluster, destination.port().protocol);
        }
        let is_told = cluster.r#type == "EDS";
        let assignment = || endpoints::assignment(self.world, self.client, &destination);
        Some(Told {
            port: destination.port().number,
            endpoints: is_told.then(|| assignment().into()),
            cluster: cluster.into(),
        })
    }
}
