//! Where "not in the input" means "does not exist".

use rustc_hash::FxHashSet;

use super::Mesh;
use crate::model::{Header, Slot};

/// What the input owns.
#[derive(Debug, Default)]
pub(super) struct Knowledge<'a> {
    owned: FxHashSet<(Slot, &'a str)>,
    /// Namespaces with resources from which other tools make Services, pods or Istio resources.
    generated: FxHashSet<&'a str>,
    /// Kinds and namespaces of documents that cannot be read.
    unreadable: FxHashSet<(&'a str, &'a str)>,
}

/// API groups whose custom resources make nothing that a mesh is built of.
const INERT_GROUPS: [&str; 18] = [
    "monitoring.coreos.com",
    "cert-manager.io",
    "external-secrets.io",
    "secrets-store.csi.x-k8s.io",
    "bitnami.com",
    "keda.sh",
    "kyverno.io",
    "gatekeeper.sh",
    "snapshot.storage.k8s.io",
    "cilium.io",
    "projectcalico.org",
    "crd.projectcalico.org",
    "source.toolkit.fluxcd.io",
    "image.toolkit.fluxcd.io",
    "notification.toolkit.fluxcd.io",
    "kustomize.toolkit.fluxcd.io",
    "kustomize.config.k8s.io",
    "generatorconfig.openshift.io",
];

/// Kinds of `argoproj.io` that make nothing but analysis.
const INERT_KINDS: [&str; 5] = ["AnalysisTemplate", "ClusterAnalysisTemplate", "AnalysisRun", "Experiment", "AppProject"];

impl<'a> Knowledge<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let owned = mesh.resources.iter().map(|resource| (resource.body.slot(), resource.header.namespace.value)).collect();
        let generated = mesh.others().filter(|header| generates(header)).map(|header| header.namespace.value).collect();
        let unreadable = mesh.unreadable().map(|header| (header.kind.value, header.namespace.value)).collect();
        Self { owned, generated, unreadable }
    }
}

/// Whether an operator could make something of it: a custom resource of a group that is not known to be inert.
fn generates(header: &Header<'_>) -> bool {
    let group = header.group();
    let built_in = !group.contains('.') || group.ends_with(".k8s.io") || group.ends_with(".istio.io");
    let inert = INERT_GROUPS.contains(&group) || INERT_KINDS.contains(&header.kind.value);
    !built_in && !inert
}

impl Mesh<'_> {
    /// Whether all resources of a kind in a namespace are in the input: the run is complete, or the input defines another
    /// one there, nothing of it is unreadable, and no operator makes more of them.
    pub fn owns(&self, slot: Slot, namespace: &str) -> bool {
        if self.settings.complete {
            return true;
        }
        let known = &self.knowledge;
        known.owned.contains(&(slot, namespace))
            && !known.generated.contains(namespace)
            && !known.unreadable.iter().any(|(_, place)| *place == namespace)
    }

    /// Whether the input defines a resource of this kind in the namespace.
    pub fn has_any(&self, slot: Slot, namespace: &str) -> bool {
        self.knowledge.owned.contains(&(slot, namespace))
    }
}
