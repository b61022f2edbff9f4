//! The endpoints of a cluster for a client, grouped by where they stand.

use super::{Preference, priorities, tunnel};
use crate::envoy::World;
use crate::envoy::clusters::Destination;
use crate::envoy::message::{
    Address, ClusterLoadAssignment, Endpoint, LbEndpoint, LocalityLbEndpoints, Metadata, Origin, Str,
};
use crate::envoy::pods::PodGroup;
use crate::envoy::registry::{self, Health};

/// One endpoint in the making.
#[derive(Debug)]
pub(super) struct Candidate<'w> {
    /// As the registry knows it; `None` for a gateway of another network.
    pub known: Option<&'w registry::Endpoint>,
    /// As Envoy gets it.
    pub made: LbEndpoint,
    /// Whether clients speak mTLS with it.
    pub marked: bool,
}

/// Endpoints of one place.
#[derive(Debug)]
pub(super) struct Group<'w> {
    /// The place, its priority and weight; the endpoints come last.
    pub made: LocalityLbEndpoints,
    /// The endpoints.
    pub candidates: Vec<Candidate<'w>>,
}

impl Group<'_> {
    /// Sets the weight of the place to that of its endpoints.
    pub(super) fn weigh(&mut self) {
        let weights = self
            .candidates
            .iter()
            .filter_map(|candidate| candidate.made.load_balancing_weight);
        let sum = weights.fold(0_u32, u32::saturating_add);
        self.made.load_balancing_weight = (sum > 0).then_some(sum);
    }

    fn finish(mut self) -> LocalityLbEndpoints {
        for candidate in &self.candidates {
            if let Some(known) = candidate.known {
                self.made.origin.add(known.span);
            }
        }
        self.made.lb_endpoints = self.candidates.into_iter().map(|candidate| candidate.made).collect();
        self.made
    }
}

/// The endpoints of a cluster for a client. Of one that is chosen by SNI only those remain that speak mTLS; a place stays,
/// even with none (catalogue: gateways, 50).
pub fn assignment<'m, 'a>(
    world: &World<'m, 'a>,
    client: &PodGroup<'m, 'a>,
    destination: &Destination<'_, 'm, 'a>,
) -> ClusterLoadAssignment {
    let mut groups = match tunnel::waypoint(world, client, destination) {
        Some(waypoint) => {
            let wanted = tunnel::wanted(client, destination);
            by_locality(waypoint.iter().collect(), |endpoint| tunneled(endpoint, wanted.clone()))
        }
        None => by_locality(chosen(world, client, destination), |endpoint| {
            if tunnel::leads_to(world, endpoint) {
                tunneled(endpoint, None)
            } else {
                candidate(endpoint, destination)
            }
        }),
    };
    groups = world.networks.cross(groups, client, world);
    if destination.by_sni {
        for group in &mut groups {
            group.candidates.retain(|candidate| candidate.marked);
            group.weigh();
        }
    }
    let preference = Preference::of(&world.environment, destination.service, &destination.policy);
    priorities::prefer(&mut groups, client, &preference);
    ClusterLoadAssignment {
        cluster_name: destination.name(),
        endpoints: groups.into_iter().map(Group::finish).collect(),
        origin: Origin::of(destination.service.span),
    }
}

/// The endpoints that the subset has, that the client may reach and that take traffic.
fn chosen<'w, 'm, 'a>(
    world: &World<'m, 'a>,
    client: &PodGroup<'m, 'a>,
    destination: &Destination<'w, 'm, 'a>,
) -> Vec<&'w registry::Endpoint> {
    let local = world.cluster_local.holds(&destination.service.host);
    let percent = destination
        .policy
        .outlier_detection
        .and_then(|outlier| outlier.min_health_percent);
    let only_healthy = percent.is_some_and(|percent| percent.value > 0);
    let endpoints = destination.endpoints().iter().filter(|endpoint| {
        (!local || endpoint.cluster == client.cluster) && (!only_healthy || endpoint.health != Health::Unhealthy)
    });
    let Some(subset) = destination.subset else {
        return endpoints.collect();
    };
    let labels: Vec<_> = subset.labels.iter().collect();
    endpoints.filter(|endpoint| endpoint.has(&labels)).collect()
}

impl registry::Endpoint {
    /// Whether it has all of these labels.
    pub fn has(&self, labels: &[(&str, &str)]) -> bool {
        labels.iter().all(|(key, value)| self.label(key) == Some(*value))
    }

    /// A label, those that istiod adds included.
    pub fn label(&self, key: &str) -> Option<&str> {
        let place = self.labels.binary_search_by(|(name, _)| name.as_str().cmp(key));
        place.ok().map(|place| self.labels[place].1.as_str())
    }
}

/// Groups by the locality as it is written, sorted (catalogue: endpoints and locality, 60).
fn by_locality<'w>(
    endpoints: Vec<&'w registry::Endpoint>,
    candidate: impl Fn(&'w registry::Endpoint) -> Candidate<'w>,
) -> Vec<Group<'w>> {
    let mut sorted = endpoints;
    sorted.sort_by(|a, b| a.locality_text.cmp(&b.locality_text));
    let groups = sorted.chunk_by(|a, b| a.locality_text == b.locality_text);
    let made = groups.map(|group| {
        let mut made = Group {
            made: LocalityLbEndpoints {
                locality: Some(group[0].locality.clone()),
                ..LocalityLbEndpoints::default()
            },
            candidates: group.iter().map(|endpoint| candidate(endpoint)).collect(),
        };
        made.weigh();
        made
    });
    made.collect()
}

fn candidate<'w>(endpoint: &'w registry::Endpoint, destination: &Destination<'w, '_, '_>) -> Candidate<'w> {
    let marked = destination.marks(endpoint);
    let metadata = super::mark::metadata(endpoint.workload.clone(), marked);
    Candidate {
        known: Some(endpoint),
        made: made(endpoint, endpoint.address.clone(), metadata),
        marked,
    }
}

fn tunneled(endpoint: &registry::Endpoint, wanted: Option<Str>) -> Candidate<'_> {
    let (address, metadata) = tunnel::through(endpoint, wanted);
    Candidate {
        known: Some(endpoint),
        made: made(endpoint, address, metadata),
        marked: false,
    }
}

fn made(endpoint: &registry::Endpoint, address: Address, metadata: Metadata) -> LbEndpoint {
    LbEndpoint {
        endpoint: Endpoint { address },
        health_status: match endpoint.health {
            Health::Healthy => "HEALTHY",
            Health::Unhealthy => "UNHEALTHY",
            Health::Unwatched => "",
        },
        load_balancing_weight: Some(endpoint.weight),
        metadata: Some(metadata),
    }
}
