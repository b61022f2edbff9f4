//! How much of the mesh a namespace's proxies are told.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{HostName, Mesh, Object, Provider};
use crate::model::istio::{DestinationRule, ServiceEntry, Sidecar, VirtualService};
use crate::model::kubernetes;

/// Who is exported to whom, counted once.
#[derive(Debug, Default)]
pub(super) struct Exposures<'a> {
    /// Definitions of hosts that everyone sees.
    public: usize,
    /// Those with an `exportTo`.
    restricted: Vec<Provider>,
    /// Namespace-wide Sidecars by namespace; where there are several the first applies.
    sidecars: FxHashMap<&'a str, super::ResourceId>,
}

/// What the proxies of a namespace receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Services and ServiceEntries they are told of.
    pub received: usize,
    /// Those of the namespace itself, and those that its own routes, rules and entries name.
    pub named: usize,
    /// The other namespaces that its configuration names, in order.
    pub neighbours: Vec<String>,
}

impl<'a> Exposures<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let mut exposures = Self::default();
        for provider in mesh.all_providers() {
            if mesh.is_restricted(provider) {
                exposures.restricted.push(provider);
            } else {
                exposures.public += 1;
            }
        }
        for sidecar in mesh
            .all::<Sidecar<'a>>()
            .filter(|sidecar| sidecar.body.workload_selector.is_none())
        {
            exposures
                .sidecars
                .entry(sidecar.header.namespace.as_str())
                .or_insert(sidecar.id);
        }
        exposures
    }
}

impl<'a> Mesh<'a> {
    fn is_restricted(&self, provider: Provider) -> bool {
        let exported = match provider {
            Provider::Service(id) => self
                .header(id)
                .annotations
                .get("networking.istio.io/exportTo")
                .is_some(),
            Provider::ServiceEntry(id) => self
                .object::<ServiceEntry<'a>>(id)
                .is_some_and(|entry| !entry.body.export_to.is_empty()),
        };
        exported || !self.settings.service_export_to.is_empty()
    }

    /// The Sidecar that holds for the pods of a namespace which no selector singles out.
    pub fn sidecar_of(&self, namespace: &str) -> Option<Object<'_, 'a, Sidecar<'a>>> {
        let own = self.exposures.sidecars.get(namespace);
        own.or_else(|| self.exposures.sidecars.get(self.settings.root_namespace.as_str()))
            .and_then(|id| self.object(*id))
    }

    /// Whether nothing limits what the proxies of a namespace receive: no Sidecar, or one that imports every host.
    pub fn receives_everything(&self, namespace: &str) -> bool {
        self.sidecar_of(namespace).is_none_or(|sidecar| {
            let entries = super::SidecarHosts::of(sidecar.body, sidecar.header.namespace.as_str());
            let all = entries
                .iter()
                .any(|entry| !entry.excludes && entry.namespace == "*" && entry.host == "*");
            all && !entries.iter().any(|entry| entry.excludes)
        })
    }

    /// What the proxies of a namespace receive.
    pub fn scope(&self, namespace: &str) -> Scope {
        let received = match self.sidecar_of(namespace) {
            None => {
                let restricted = self.exposures.restricted.iter();
                self.exposures.public
                    + restricted
                        .filter(|provider| self.is_visible(**provider, namespace))
                        .count()
            }
            Some(sidecar) => self.imported(sidecar, namespace),
        };
        let (named, neighbours) = self.named(namespace);
        Scope {
            received,
            named,
            neighbours,
        }
    }

    fn imported(&self, sidecar: Object<'_, 'a, Sidecar<'a>>, namespace: &str) -> usize {
        let entries = super::SidecarHosts::of(sidecar.body, namespace);
        let imports = |provider: &Provider| {
            let names = self.names_of(*provider);
            let covered = |excludes| {
                let entries = entries.iter().filter(move |entry| entry.excludes == excludes);
                entries
                    .into_iter()
                    .any(|entry| names.iter().any(|(place, name)| entry.covers(place, name, self)))
            };
            covered(false) && !covered(true)
        };
        self.all_providers()
            .filter(|provider| self.is_visible(*provider, namespace))
            .filter(imports)
            .count()
    }

    fn names_of(&self, provider: Provider) -> Vec<(&'a str, HostName<'a>)> {
        match provider {
            Provider::Service(id) => {
                let header = self.header(id);
                let (name, namespace) = (header.name.as_str(), header.namespace.as_str());
                vec![(namespace, HostName::Service { name, namespace })]
            }
            Provider::ServiceEntry(id) => {
                let entry = self.object::<ServiceEntry<'a>>(id);
                let names = entry.iter().flat_map(|entry| {
                    entry
                        .body
                        .hosts
                        .iter()
                        .map(|host| (entry.header.namespace.as_str(), HostName::Literal(host.as_str())))
                });
                names.collect()
            }
        }
    }

    fn named(&self, namespace: &str) -> (usize, Vec<String>) {
        let mut names: FxHashSet<HostName<'_>> = FxHashSet::default();
        let own = self
            .all::<kubernetes::Service<'a>>()
            .filter(|service| service.header.namespace.as_str() == namespace);
        names.extend(own.map(|service| HostName::Service {
            name: service.header.name.as_str(),
            namespace: service.header.namespace.as_str(),
        }));
        for route in self
            .all::<VirtualService<'a>>()
            .filter(|route| route.header.namespace.as_str() == namespace)
        {
            let hosts = route.body.destinations().filter_map(|destination| destination.host);
            names.extend(hosts.map(|host| self.host_name(host.as_str(), route.header.namespace.as_str())));
        }
        for rule in self
            .all::<DestinationRule<'a>>()
            .filter(|rule| rule.header.namespace.as_str() == namespace)
        {
            names.extend(
                rule.body
                    .host
                    .iter()
                    .map(|host| self.host_name(host.as_str(), rule.header.namespace.as_str())),
            );
        }
        let mut neighbours: Vec<String> = names
            .iter()
            .filter_map(HostName::namespace)
            .filter(|place| *place != namespace)
            .map(str::to_owned)
            .collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        (names.len(), neighbours)
    }
}
