//! What can stand behind a port: pods and WorkloadEntries, found by namespace and labels.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Endpoint, Hbone, Health};
use crate::envoy::environment::Environment;
use crate::envoy::message::{Address, Str};
use crate::envoy::mtls::{Mode, Mtls};
use crate::envoy::pods::{PodGroup, Role, locality};
use crate::mesh::Mesh;
use crate::model::istio::{self, WorkloadEntry};
use crate::model::{Header, Labels, Value};
use crate::source::Span;

/// Things with labels by namespace, and by one of their labels.
#[derive(Debug, Default)]
pub(super) struct ByLabel<'m> {
    all: FxHashMap<&'m str, Vec<usize>>,
    labelled: FxHashMap<(&'m str, Str, Str), Vec<usize>>,
}

impl<'m> ByLabel<'m> {
    fn add(&mut self, place: usize, namespace: &'m str, labels: &[(Str, Str)]) {
        self.all.entry(namespace).or_default().push(place);
        for (key, value) in labels {
            self.labelled
                .entry((namespace, key.clone(), value.clone()))
                .or_default()
                .push(place);
        }
    }

    /// Those that may have all of these labels: that have the rarest of them.
    fn candidates<'l>(&self, namespace: &'m str, labels: impl Iterator<Item = (&'l str, &'l str)>) -> &[usize] {
        let lists = labels.map(|(key, value)| {
            let key = (namespace, Str::new(key), Str::new(value));
            self.labelled.get(&key).map_or(&[][..], Vec::as_slice)
        });
        let rarest = lists.min_by_key(|list| list.len());
        rarest.unwrap_or_else(|| self.all.get(namespace).map_or(&[], Vec::as_slice))
    }
}

/// A workload that one or more addresses run.
#[derive(Clone, Debug)]
pub(super) struct Instance<'m, 'a> {
    /// The endpoint that each address becomes, still without one.
    pub form: Endpoint,
    /// What it is.
    pub kind: Kind<'m, 'a>,
    /// Its own labels, without those that istiod adds.
    pub labels: Vec<(Str, Str)>,
    /// The namespace.
    pub namespace: &'m str,
}

/// What an instance is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'m, 'a> {
    /// Pods of one workload, by their place.
    Pods(usize),
    /// A `WorkloadEntry`, or one that is written in a `ServiceEntry`.
    Entry(&'m istio::WorkloadEntry<'a>),
}

/// All pods and WorkloadEntries.
#[derive(Debug, Default)]
pub(super) struct Instances<'m, 'a> {
    all: Vec<Instance<'m, 'a>>,
    index: ByLabel<'m>,
}

/// How instances are described.
pub(super) struct Describer<'b, 'm, 'a> {
    pub mesh: &'m Mesh<'a>,
    pub environment: &'b Environment<'m, 'a>,
    pub mtls: &'b Mtls<'m, 'a>,
}

impl<'m, 'a> Instances<'m, 'a> {
    /// Indexes the WorkloadEntries of the first cluster and all pods.
    pub(super) fn new(describer: &Describer<'_, 'm, 'a>, pods: &[PodGroup<'m, 'a>]) -> Self {
        let mut instances = Self::default();
        let entries = describer
            .mesh
            .all::<WorkloadEntry<'a>>()
            .filter(|entry| entry.header.cluster == 0);
        for entry in entries.filter(|entry| !waits_for_health(entry.header)) {
            let labels = joined(&entry.body.labels, &entry.header.labels);
            let name = Str::new(entry.header.name.as_str());
            instances.add(describer.entry(entry.body, entry.header, labels, &name, entry.header.span));
        }
        for (place, pod) in pods.iter().enumerate() {
            instances.add(describer.pods(place, pod));
        }
        instances
    }

    fn add(&mut self, instance: Instance<'m, 'a>) {
        self.index.add(self.all.len(), instance.namespace, &instance.labels);
        self.all.push(instance);
    }

    /// Those of a namespace that have all of these labels.
    pub(super) fn select<'l>(
        &'l self,
        namespace: &'m str,
        labels: &'l [(&'l str, &'l str)],
    ) -> impl Iterator<Item = &'l Instance<'m, 'a>> {
        let candidates = self.index.candidates(namespace, labels.iter().copied()).iter();
        let instances = candidates.map(|place| &self.all[*place]);
        instances.filter(move |instance| {
            labels
                .iter()
                .all(|(key, value)| value_of(&instance.labels, key) == Some(*value))
        })
    }
}

/// A WorkloadEntry whose health is checked takes traffic once it is healthy, which no input tells (catalogue: 52).
fn waits_for_health(header: &Header<'_>) -> bool {
    header.annotations.has("proxy.istio.io/health-checks-enabled", "true")
}

/// The labels of both, sorted; the second wins.
fn joined(labels: &Labels<'_>, over: &Labels<'_>) -> Vec<(Str, Str)> {
    let mut joined: Vec<(Str, Str)> = over
        .iter()
        .chain(labels.iter())
        .map(|(key, value)| (Str::new(key), Str::new(value)))
        .collect();
    joined.sort_by(|a, b| a.0.cmp(&b.0));
    joined.dedup_by(|later, kept| later.0 == kept.0);
    joined
}

/// The value of a label among sorted ones.
fn value_of<'l>(labels: &'l [(Str, Str)], key: &str) -> Option<&'l str> {
    let place = labels.binary_search_by(|(name, _)| name.as_str().cmp(key));
    place.ok().map(|place| labels[place].1.as_str())
}

impl<'m, 'a> Describer<'_, 'm, 'a> {
    fn pods(&self, place: usize, pod: &PodGroup<'m, 'a>) -> Instance<'m, 'a> {
        let node = pod.template.and_then(|template| template.spec.as_ref()?.node_name);
        let redirection = pod
            .template
            .and_then(|template| template.annotation("ambient.istio.io/redirection"));
        let added = Added {
            locality: &pod.locality_text,
            cluster: pod.cluster,
            node: node.map_or("", |node| node.as_str()),
            network: &pod.network,
        };
        Instance {
            form: Endpoint {
                address: Address::default(),
                labels: self.augmented(&pod.labels, &added),
                namespace: Str::new(pod.namespace),
                workload: Str::default(),
                service_account: self.identity(pod.namespace, &pod.service_account),
                locality: pod.locality.clone(),
                locality_text: pod.locality_text.clone(),
                network: pod.network.clone(),
                cluster: pod.cluster,
                mtls: pod.speaks_mtls(),
                refuses_mtls: false,
                hbone: match pod.role {
                    Some(Role::Waypoint) => Hbone::Waypoint,
                    _ if redirection.is_some_and(|text| text.as_str() == "enabled") => Hbone::Ztunnel,
                    _ => Hbone::No,
                },
                health: Health::Healthy,
                weight: 1,
                span: pod.span,
            },
            kind: Kind::Pods(place),
            labels: pod.labels.clone(),
            namespace: pod.namespace,
        }
    }

    /// A WorkloadEntry, or one that is written in a ServiceEntry, under this name.
    pub(super) fn entry(
        &self,
        entry: &'m istio::WorkloadEntry<'a>,
        header: &'m Header<'a>,
        labels: Vec<(Str, Str)>,
        name: &Str,
        span: Span,
    ) -> Instance<'m, 'a> {
        let namespace = header.namespace.as_str();
        let account = entry.service_account.filter(|account| !account.is_empty());
        let written = entry.locality.filter(|locality| !locality.is_empty());
        let locality_text = match written {
            Some(locality) => Str::new(locality.as_str()),
            None => crate::envoy::pods::locality_of_label(value_of(&labels, "istio-locality")),
        };
        let network = entry
            .network
            .map(|network| network.as_str())
            .filter(|network| !network.is_empty());
        let network = network.or_else(|| value_of(&labels, "topology.istio.io/network"));
        let address = entry.address.map_or("", |address| address.as_str());
        let network = network.map_or_else(
            || self.environment.network(self.mesh, header.cluster, address),
            Str::new,
        );
        let added = Added {
            locality: &locality_text,
            cluster: header.cluster,
            node: "",
            network: &network,
        };
        let mode = value_of(&labels, "security.istio.io/tlsMode");
        let weight = entry.weight.and_then(|weight| u32::try_from(weight.value).ok());
        Instance {
            form: Endpoint {
                address: Address::default(),
                labels: self.augmented(&labels, &added),
                namespace: Str::new(namespace),
                workload: self.workload(name, namespace, &labels, header.cluster),
                service_account: account.map_or(Str::default(), |account| self.identity(namespace, account.as_str())),
                locality: locality(&locality_text),
                locality_text: locality_text.clone(),
                network: network.clone(),
                cluster: header.cluster,
                mtls: mode.map_or(account.is_some(), |mode| mode == "istio"),
                refuses_mtls: false,
                hbone: Hbone::No,
                health: Health::Unwatched,
                weight: weight.unwrap_or(1).max(1),
                span,
            },
            kind: Kind::Entry(entry),
            labels,
            namespace,
        }
    }

    /// The labels of an entry that is written in a ServiceEntry.
    pub(super) fn inline_labels(labels: &Labels<'_>) -> Vec<(Str, Str)> {
        joined(labels, &Labels::default())
    }

    pub(super) fn identity(&self, namespace: &str, account: &str) -> Str {
        Str::from(format!(
            "spiffe://{}/ns/{namespace}/sa/{account}",
            self.environment.trust_domain
        ))
    }

    /// What metadata say of a workload. The canonical name is that of its labels, else its own; the usual revision is
    /// left out.
    pub(super) fn workload(&self, name: &str, namespace: &str, labels: &[(Str, Str)], cluster: u16) -> Str {
        let first = |keys: [&str; 3]| keys.iter().find_map(|key| value_of(labels, key));
        let canonical = first(["service.istio.io/canonical-name", "app.kubernetes.io/name", "app"]).unwrap_or(name);
        let revision = first([
            "service.istio.io/canonical-revision",
            "app.kubernetes.io/version",
            "version",
        ]);
        let revision = revision.filter(|revision| *revision != "latest");
        let cluster = self.environment.cluster_id(self.mesh, cluster);
        Str::from(format!(
            "{name};{namespace};{canonical};{};{cluster}",
            revision.unwrap_or_default()
        ))
    }

    /// Labels with those of topology that istiod adds (catalogue: endpoints, 69).
    fn augmented(&self, labels: &[(Str, Str)], added: &Added<'_>) -> Arc<[(Str, Str)]> {
        let place = locality(added.locality);
        let cluster = self.environment.cluster_id(self.mesh, added.cluster);
        let set = [
            ("topology.kubernetes.io/region", place.region.as_str()),
            ("topology.kubernetes.io/zone", place.zone.as_str()),
            ("topology.istio.io/subzone", place.sub_zone.as_str()),
            ("topology.istio.io/cluster", cluster),
            ("kubernetes.io/hostname", added.node),
        ];
        let set = set.into_iter().filter(|(_, value)| !value.is_empty());
        let mut all: Vec<(Str, Str)> = set
            .map(|(key, value)| (Str::new_static(key), Str::new(value)))
            .collect();
        all.extend(labels.iter().cloned());
        if !added.network.is_empty() {
            all.push((Str::new_static("topology.istio.io/network"), added.network.clone()));
        }
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all.dedup_by(|later, kept| later.0 == kept.0);
        all.into()
    }

    /// Whether the server refuses mTLS on a port.
    pub(super) fn refuses_mtls(&self, instance: &Instance<'m, 'a>, port: u32) -> bool {
        self.mtls
            .of_workload(instance.namespace, &instance.labels)
            .of_port(port)
            == Mode::Disable
    }
}

/// Where an instance stands.
struct Added<'l> {
    locality: &'l str,
    cluster: u16,
    node: &'l str,
    network: &'l Str,
}

/// The number that an entry gives a port by its name.
pub(super) fn entry_port(entry: &istio::WorkloadEntry<'_>, name: &str) -> Option<u32> {
    match entry.ports.as_ref()?.get(name)?.value {
        Value::Int(number) => u32::try_from(number).ok(),
        _ => None,
    }
}
