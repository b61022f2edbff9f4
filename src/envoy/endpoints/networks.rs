//! Networks and their gateways: what is not on the client's network is reached through those of its own.

use rustc_hash::FxHashMap;

use super::assignment::{Candidate, Group};
use super::mark;
use crate::envoy::World;
use crate::envoy::environment::Environment;
use crate::envoy::message::{Address, Endpoint, LbEndpoint, Str};
use crate::envoy::pods::PodGroup;
use crate::mesh::Mesh;
use crate::model::Header;
use crate::model::kubernetes::Service;
use crate::values::address;

/// The port of gateways that say no other.
const GATEWAY_PORT: u32 = 15443;

/// A gateway of a network.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Gateway {
    address: Str,
    port: u32,
    /// The cluster that it runs in; `None` for one that `meshNetworks` gives by its address.
    cluster: Option<u16>,
}

/// The gateways of all networks.
#[derive(Debug, Default)]
pub struct Networks {
    gateways: FxHashMap<Str, Vec<Gateway>>,
    /// A number that the number of gateways of each network divides.
    scale: u32,
}

impl Networks {
    /// Finds the gateways: Services with the label of a network, and those that `meshNetworks` names.
    pub fn new(mesh: &Mesh<'_>, environment: &Environment<'_, '_>) -> Self {
        let mut networks = Self::default();
        for service in mesh.all::<Service<'_>>() {
            networks.add_service(mesh, service.header, service.body);
        }
        networks.add_configured(environment);
        for gateways in networks.gateways.values_mut() {
            gateways.sort();
            gateways.dedup();
        }
        networks.scale = networks.numbers().into_iter().fold(1, common_multiple);
        networks
    }

    fn add_service(&mut self, mesh: &Mesh<'_>, header: &Header<'_>, service: &Service<'_>) {
        let label = header.labels.get("topology.istio.io/network");
        let port = header.labels.get("networking.istio.io/gatewayPort");
        let port = port.and_then(|port| port.as_str().parse().ok()).unwrap_or(GATEWAY_PORT);
        let host = format!(
            "{}.{}.svc.{}",
            header.name, header.namespace, mesh.settings.cluster_domain
        );
        let configured = mesh.settings.networks.networks.iter().flat_map(|(network, body)| {
            let named = body.gateways.iter().filter(|gateway| {
                let name = gateway.registry_service_name;
                name.is_some_and(|name| name.as_str() == host)
            });
            named.map(|gateway| {
                let port = gateway.port.and_then(|port| u32::try_from(port.value).ok());
                (network.as_str(), port.unwrap_or(GATEWAY_PORT))
            })
        });
        let labelled = label.map(|network| (network.as_str(), port));
        for (network, port) in configured.chain(labelled) {
            for address in addresses(service) {
                self.gateways.entry(Str::new(network)).or_default().push(Gateway {
                    address,
                    port,
                    cluster: Some(header.cluster),
                });
            }
        }
    }

    fn add_configured(&mut self, environment: &Environment<'_, '_>) {
        for (network, body) in environment.networks() {
            for gateway in &body.gateways {
                let Some(address) = gateway.address.filter(|text| address::parse(text.as_str()).is_some()) else {
                    continue;
                };
                let port = gateway.port.and_then(|port| u32::try_from(port.value).ok());
                self.gateways.entry(Str::new(network)).or_default().push(Gateway {
                    address: Str::new(address.as_str()),
                    port: port.unwrap_or(GATEWAY_PORT),
                    cluster: None,
                });
            }
        }
    }

    /// How many gateways each network has, as a whole and in each cluster.
    fn numbers(&self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for gateways in self.gateways.values() {
            numbers.push(gateways.len());
            let mut clusters: Vec<_> = gateways.iter().map(|gateway| gateway.cluster).collect();
            clusters.sort_unstable();
            numbers.extend(clusters.chunk_by(|a, b| a == b).map(<[_]>::len));
        }
        numbers
            .into_iter()
            .filter_map(|number| u32::try_from(number).ok())
            .collect()
    }

    /// The gateways by which a network is entered: those of the cluster, else all of them.
    fn of(&self, network: &str, cluster: u16) -> Vec<&Gateway> {
        let all = self.gateways.get(network).map_or(&[][..], Vec::as_slice);
        let own: Vec<_> = all.iter().filter(|gateway| gateway.cluster == Some(cluster)).collect();
        if own.is_empty() { all.iter().collect() } else { own }
    }

    /// Puts the gateways of other networks in the place of their endpoints (catalogue: several clusters, 61 to 64).
    pub(super) fn cross<'w>(
        &self,
        groups: Vec<Group<'w>>,
        client: &PodGroup<'_, '_>,
        world: &World<'_, '_>,
    ) -> Vec<Group<'w>> {
        if self.gateways.is_empty() {
            return groups;
        }
        let crossed = groups.into_iter().map(|group| self.cross_group(group, client, world));
        crossed.collect()
    }

    fn cross_group<'w>(&self, group: Group<'w>, client: &PodGroup<'_, '_>, world: &World<'_, '_>) -> Group<'w> {
        let mut direct = Vec::new();
        let mut through: FxHashMap<&Gateway, u32> = FxHashMap::default();
        for mut candidate in group.candidates {
            let weight = candidate
                .made
                .load_balancing_weight
                .unwrap_or(1)
                .saturating_mul(self.scale);
            let gateways = candidate.known.map_or(Vec::new(), |known| {
                let near = known.network.is_empty() || known.network == client.network;
                if near {
                    Vec::new()
                } else {
                    self.of(&known.network, known.cluster)
                }
            });
            if gateways.is_empty() {
                candidate.made.load_balancing_weight = Some(weight);
                direct.push(candidate);
            } else if candidate.marked {
                let share = weight / u32::try_from(gateways.len()).unwrap_or(u32::MAX).max(1);
                for gateway in gateways {
                    let sum = through.entry(gateway).or_default();
                    *sum = sum.saturating_add(share);
                }
            }
        }
        let mut through: Vec<_> = through.into_iter().collect();
        through.sort();
        direct.extend(
            through
                .into_iter()
                .map(|(gateway, weight)| gateway.candidate(weight, world)),
        );
        let mut crossed = Group {
            made: group.made,
            candidates: direct,
        };
        crossed.weigh();
        crossed
    }
}

impl Gateway {
    fn candidate<'w>(&self, weight: u32, world: &World<'_, '_>) -> Candidate<'w> {
        let cluster = self
            .cluster
            .map_or("", |cluster| world.environment.cluster_id(world.mesh, cluster));
        Candidate {
            known: None,
            made: LbEndpoint {
                endpoint: Endpoint {
                    address: Address::socket(self.address.clone(), self.port),
                },
                load_balancing_weight: Some(weight),
                metadata: Some(mark::metadata(Str::from(format!(";;;;{cluster}")), true)),
                ..LbEndpoint::default()
            },
            marked: true,
        }
    }
}

/// The addresses at which a Service answers from outside of its cluster. A host name would have to be looked up.
fn addresses(service: &Service<'_>) -> Vec<Str> {
    let balanced = service.type_name.is_some_and(|name| name.as_str() == "LoadBalancer");
    let of_balancer = service
        .ingress
        .iter()
        .filter(|_| balanced)
        .filter_map(|ingress| ingress.ip);
    let external = service.external_ips.iter().copied();
    of_balancer
        .chain(external)
        .map(|address| Str::new(address.as_str()))
        .collect()
}

fn common_multiple(a: u32, b: u32) -> u32 {
    let (mut greatest, mut rest) = (a, b);
    while rest != 0 {
        (greatest, rest) = (rest, greatest % rest);
    }
    (a / greatest.max(1)).saturating_mul(b)
}
