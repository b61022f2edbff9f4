//! Subsets of hosts: which `DestinationRule` defines one, and which pods it selects.

use rustc_hash::FxHashMap;

use super::{HostName, Lookup, Mesh, Object, Provider, ResourceId};
use crate::model::istio::{DestinationRule, ServiceEntry, Subset, VirtualService};
use crate::model::{Header, Labels, Slot, Text, kubernetes};
use crate::schema::nearest;
use crate::yaml::is_placeholder;

/// `DestinationRule`s by the host they are for.
#[derive(Debug, Default)]
pub(super) struct Subsets<'a> {
    exact: FxHashMap<HostName<'a>, Vec<ResourceId>>,
    wildcard: Vec<(&'a str, ResourceId)>,
    by_namespace: FxHashMap<&'a str, Vec<ResourceId>>,
    /// Rules whose namespace is only assumed.
    assumed: Vec<ResourceId>,
}

impl<'a> Subsets<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let mut subsets = Self::default();
        for rule in mesh.all::<DestinationRule<'a>>() {
            subsets
                .by_namespace
                .entry(rule.header.namespace.as_str())
                .or_default()
                .push(rule.id);
            if !rule.header.namespace_written {
                subsets.assumed.push(rule.id);
            }
            let Some(host) = &rule.body.host else { continue };
            if host.starts_with('*') {
                subsets.wildcard.push((host.as_str(), rule.id));
            } else {
                let name = HostName::parse(
                    host.as_str(),
                    rule.header.namespace.as_str(),
                    &mesh.settings.cluster_domain,
                );
                subsets.exact.entry(name).or_default().push(rule.id);
            }
        }
        subsets
    }
}

/// Labels that pods get without their template saying so, or that istiod takes from the node.
fn is_added_later(key: &str) -> bool {
    const KEYS: [&str; 6] = [
        "pod-template-hash",
        "rollouts-pod-template-hash",
        "controller-revision-hash",
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
        "kubernetes.io/hostname",
    ];
    const PREFIXES: [&str; 4] = [
        "topology.kubernetes.io/",
        "topology.istio.io/",
        "failure-domain.beta.kubernetes.io/",
        "service.istio.io/",
    ];
    KEYS.contains(&key) || PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

impl<'a> Mesh<'a> {
    /// The `DestinationRule`s for a host, exact ones first, whoever they are exported to.
    pub fn destination_rules(&self, host: &HostName<'_>) -> Vec<Object<'_, 'a, DestinationRule<'a>>> {
        let exact = self.subsets.exact.get(host).into_iter().flatten();
        let full = host.full(self);
        let wild = self
            .subsets
            .wildcard
            .iter()
            .filter(|(pattern, _)| full.ends_with(&pattern[1..]))
            .map(|(_, id)| id);
        exact.chain(wild).filter_map(|id| self.object(*id)).collect()
    }

    /// The subset of a host that a resource of `namespace` names.
    pub fn subset(&self, host: &Text<'a>, subset: &Text<'_>, asker: &Header<'a>) -> Lookup<()> {
        if [host.as_str(), subset.as_str()].into_iter().any(is_placeholder) || !asker.namespace_known {
            return Lookup::Unknown;
        }
        let namespace = asker.namespace.as_str();
        let name = self.host_name(host.as_str(), namespace);
        let rules = self.destination_rules(&name);
        let names = || {
            rules
                .iter()
                .flat_map(|rule| &rule.body.subsets)
                .filter_map(|subset| subset.name.as_ref())
        };
        if names().any(|name| name.as_str() == subset.as_str()) {
            return Lookup::Found(());
        }
        let levels = [
            Some(namespace),
            name.namespace(),
            Some(self.settings.root_namespace.as_str()),
        ];
        let ruled = rules
            .iter()
            .any(|rule| levels.contains(&Some(rule.header.namespace.as_str())) && self.is_surely(rule.header, asker));
        let owned = [Some(namespace), name.namespace()]
            .into_iter()
            .flatten()
            .all(|place| self.owns(Slot::DestinationRule, place, asker));
        let generated = !self.settings.complete && rules.iter().any(|rule| Self::is_managed(rule.header));
        if self.is_misplaced(subset.as_str(), namespace) || self.is_perhaps_defined(host.as_str(), subset.as_str()) {
            return Lookup::Unknown;
        }
        if generated || !(ruled || owned) || names().any(|name| is_placeholder(name.as_str())) {
            return Lookup::Unknown;
        }
        Lookup::Absent {
            nearest: nearest(subset.as_str(), names().map(Text::as_str)).map(str::to_owned),
        }
    }

    /// Whether a rule of the namespace defines the subset for a host that does not exist: then the host is what is wrong.
    fn is_misplaced(&self, subset: &str, namespace: &str) -> bool {
        let rules = self.subsets.by_namespace.get(namespace).into_iter().flatten();
        rules
            .filter_map(|id| self.object::<DestinationRule<'a>>(*id))
            .any(|rule| {
                let defines = rule
                    .body
                    .subsets
                    .iter()
                    .any(|other| other.name.is_some_and(|name| name.as_str() == subset));
                defines
                    && rule
                        .body
                        .host
                        .as_ref()
                        .is_none_or(|host| matches!(self.host(host, rule.header), Lookup::Absent { .. }))
            })
    }

    /// Whether a rule whose namespace is only assumed defines the subset: it may be applied to the namespace in question.
    fn is_perhaps_defined(&self, host: &str, subset: &str) -> bool {
        let first = |host: &str| host.split('.').next().unwrap_or_default().to_owned();
        let rules = self
            .subsets
            .assumed
            .iter()
            .filter_map(|id| self.object::<DestinationRule<'a>>(*id));
        !self.settings.complete
            && rules.into_iter().any(|rule| {
                let same = rule.body.host.is_some_and(|other| first(other.as_str()) == first(host));
                same && rule
                    .body
                    .subsets
                    .iter()
                    .any(|other| other.name.is_some_and(|name| name.as_str() == subset))
            })
    }

    /// Whether another tool writes into the resource.
    fn is_managed(header: &Header<'_>) -> bool {
        header
            .annotations
            .iter()
            .any(|(key, value)| is_placeholder(value) || key.starts_with("flagger.app/"))
    }

    /// The pods of a subset.
    pub fn subset_workloads(&self, rule: Object<'_, 'a, DestinationRule<'a>>, subset: &Subset<'a>) -> Lookup<()> {
        let Some(host) = &rule.body.host else {
            return Lookup::Unknown;
        };
        let Lookup::Found(host) = self.host(host, rule.header) else {
            return Lookup::Unknown;
        };
        let wanted: Vec<_> = subset.labels.iter().filter(|(key, _)| !is_added_later(key)).collect();
        if wanted.is_empty() || subset.labels.placeholder() {
            return Lookup::Unknown;
        }
        let mut answer = Lookup::Unknown;
        for provider in &host.providers {
            match self.provider_workloads(*provider, &wanted) {
                Lookup::Absent { nearest } => answer = Lookup::Absent { nearest },
                other => return other,
            }
        }
        answer
    }

    fn provider_workloads(&self, provider: Provider, wanted: &[(&str, &str)]) -> Lookup<()> {
        match provider {
            Provider::Service(id) => {
                let Some(service) = self.object::<kubernetes::Service<'a>>(id) else {
                    return Lookup::Unknown;
                };
                if service.body.selector.is_empty() || service.body.selector.placeholder() {
                    return Lookup::Unknown;
                }
                self.selected(&service.body.selector, service.header, wanted)
            }
            Provider::ServiceEntry(id) => {
                let Some(entry) = self.object::<ServiceEntry<'a>>(id) else {
                    return Lookup::Unknown;
                };
                self.entry_workloads(entry, wanted)
            }
        }
    }

    fn entry_workloads(&self, entry: Object<'_, 'a, ServiceEntry<'a>>, wanted: &[(&str, &str)]) -> Lookup<()> {
        let matches = |labels: &Labels<'_>| wanted.iter().all(|(key, value)| labels.has(key, value));
        if entry.body.endpoints.iter().any(|endpoint| matches(&endpoint.labels)) {
            return Lookup::Found(());
        }
        match &entry.body.workload_selector {
            Some(selector) if !selector.labels.is_empty() => self.selected(&selector.labels, entry.header, wanted),
            _ if entry.body.endpoints.is_empty() => Lookup::Unknown,
            _ => Lookup::Absent { nearest: None },
        }
    }

    /// The pods with these labels among those that see a `VirtualService` and could be its clients.
    pub fn clients(
        &self,
        labels: &Labels<'_>,
        namespace: Option<&Text<'_>>,
        virtual_service: Object<'_, 'a, VirtualService<'a>>,
    ) -> Lookup<()> {
        let header = virtual_service.header;
        let own = matches!(virtual_service.body.export_to.as_slice(), [only] if only.as_str() == ".");
        let place = match namespace {
            Some(namespace) => Some(namespace.as_str()),
            None if own => Some(header.namespace.as_str()),
            None => None,
        };
        let unsure = labels.is_empty() || labels.placeholder() || labels.iter().any(|(key, _)| is_added_later(key));
        let owned = place.map_or(self.settings.complete, |place| self.owns(Slot::Workload, place, header));
        if unsure || !owned || place.is_some_and(is_placeholder) {
            return Lookup::Unknown;
        }
        let wanted: Vec<_> = labels.iter().collect();
        if self.select(place, &wanted).next().is_some() {
            return Lookup::Found(());
        }
        let everyone: Vec<_> = self.select(place, &[]).collect();
        let open = everyone
            .iter()
            .any(|id| self.header(*id).patched || self.labels_of(*id).is_some_and(Labels::placeholder));
        if open {
            Lookup::Unknown
        } else {
            Lookup::Absent { nearest: None }
        }
    }

    /// Whether pods of a namespace have both a host's labels and those wanted. The pods of the host must be known: that
    /// the Service selects some in the input shows it, or that the run is complete.
    fn selected(&self, selector: &Labels<'_>, asker: &Header<'_>, wanted: &[(&str, &str)]) -> Lookup<()> {
        let namespace = asker.namespace.as_str();
        let base: Vec<_> = selector.iter().collect();
        let both: Vec<_> = base.iter().chain(wanted).copied().collect();
        if self.select(Some(namespace), &both).next().is_some() {
            return Lookup::Found(());
        }
        let pods: Vec<_> = self.select(Some(namespace), &base).collect();
        let unsure = pods.is_empty()
            || pods
                .iter()
                .any(|id| self.header(*id).patched || !self.is_surely(self.header(*id), asker));
        if (unsure && !self.settings.complete) || !self.owns(Slot::Workload, namespace, asker) {
            return Lookup::Unknown;
        }
        if pods
            .iter()
            .filter_map(|id| self.labels_of(*id))
            .any(Labels::placeholder)
        {
            return Lookup::Unknown;
        }
        Lookup::Absent { nearest: None }
    }
}
