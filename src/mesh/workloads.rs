//! Pods by their labels. A workload is what makes pods: a pod template, a `WorkloadEntry`, a `WorkloadGroup`.

use rustc_hash::FxHashMap;

use super::{Mesh, ResourceId};
use crate::model::kubernetes::{PodTemplate, Workload};
use crate::model::{Body, Labels, Text, istio};

/// A workload, by the resource that describes it.
pub type WorkloadRef = ResourceId;

type ByLabel<'a> = FxHashMap<(&'a str, &'a str, &'a str), Vec<WorkloadRef>>;

/// Workloads by namespace and by label.
#[derive(Debug, Default)]
pub(super) struct Workloads<'a> {
    by_namespace: FxHashMap<&'a str, Vec<WorkloadRef>>,
    /// By namespace, key and value; the empty namespace stands for all of them.
    by_label: ByLabel<'a>,
}

impl<'a> Workloads<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let mut workloads = Self::default();
        let templates = mesh.all::<Workload<'a>>().map(|workload| workload.id);
        let entries = mesh.all::<istio::WorkloadEntry<'a>>().map(|entry| entry.id);
        let groups = mesh.all::<istio::WorkloadGroup<'a>>().map(|group| group.id);
        for id in templates.chain(entries).chain(groups) {
            let namespace = mesh.header(id).namespace.as_str();
            workloads.by_namespace.entry(namespace).or_default().push(id);
            for (key, value) in mesh.labels_of(id).into_iter().flat_map(Labels::iter) {
                workloads.by_label.entry((namespace, key, value)).or_default().push(id);
                workloads.by_label.entry(("", key, value)).or_default().push(id);
            }
        }
        workloads
    }
}

/// Whether a template is that of a gateway: the injector fills it with the gateway's, or it runs a router itself.
pub fn is_gateway_template(template: &PodTemplate<'_>) -> bool {
    let injected = template
        .annotation("inject.istio.io/templates")
        .is_some_and(|names| names.contains("gateway"));
    let proxy = |name: Option<&str>| name == Some("istio-proxy");
    injected
        || template.containers().any(|container| {
            proxy(container.name.as_ref().map(Text::as_str))
                && container.args.iter().any(|argument| argument.as_str() == "router")
        })
}

impl<'a> Mesh<'a> {
    /// The labels that the pods of a workload have.
    pub fn labels_of(&self, workload: WorkloadRef) -> Option<&Labels<'a>> {
        match &self.resources[workload as usize].body {
            Body::Workload(workload) => workload
                .template
                .as_ref()
                .and_then(|template| template.metadata.as_ref())
                .map(|metadata| &metadata.labels),
            Body::WorkloadEntry(entry) => Some(&entry.labels),
            Body::WorkloadGroup(group) => group.metadata.as_ref().map(|metadata| &metadata.labels),
            _ => None,
        }
    }

    /// The pod template of a workload.
    pub fn template_of(&self, workload: WorkloadRef) -> Option<&PodTemplate<'a>> {
        match &self.resources[workload as usize].body {
            Body::Workload(workload) => workload.template.as_ref(),
            _ => None,
        }
    }

    /// The workloads of a namespace.
    pub fn workloads_in(&self, namespace: &str) -> &[WorkloadRef] {
        self.workloads.by_namespace.get(namespace).map_or(&[], Vec::as_slice)
    }

    /// The workloads whose pods have all of these labels. `None` asks in all namespaces. No labels select every pod.
    pub fn select<'m>(
        &'m self,
        namespace: Option<&'m str>,
        labels: &'m [(&'m str, &'m str)],
    ) -> impl Iterator<Item = WorkloadRef> {
        let place = namespace.unwrap_or("");
        let lists = labels.iter().map(|(key, value)| {
            self.workloads
                .by_label
                .get(&(place, *key, *value))
                .map_or(&[][..], Vec::as_slice)
        });
        let fewest = lists.min_by_key(|list| list.len());
        let unlabelled = labels.is_empty().then(|| {
            self.workloads
                .by_namespace
                .iter()
                .filter(move |(name, _)| namespace.is_none_or(|wanted| wanted == **name))
        });
        let everywhere = unlabelled.into_iter().flatten().flat_map(|(_, list)| list.iter());
        fewest
            .into_iter()
            .flatten()
            .chain(everywhere)
            .copied()
            .filter(move |id| {
                let pods = self.labels_of(*id);
                labels
                    .iter()
                    .all(|(key, value)| pods.is_some_and(|pods| pods.has(key, value)))
            })
    }
}
