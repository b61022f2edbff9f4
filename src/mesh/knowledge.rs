//! Where "not in the input" means "does not exist".

use camino::Utf8Path;
use rustc_hash::FxHashSet;

use super::Mesh;
use crate::model::{Header, Release, Slot};

/// What the input owns.
#[derive(Debug, Default)]
pub(super) struct Knowledge<'a> {
    /// Kinds by namespace, where the namespace is written.
    owned: FxHashSet<(Slot, &'a str)>,
    /// Kinds by folder, where it is not.
    beside: FxHashSet<(Slot, &'a Utf8Path)>,
    /// Charts and templates stand in the input whose resources are not known.
    unrendered: bool,
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
const INERT_KINDS: [&str; 5] = [
    "AnalysisTemplate",
    "ClusterAnalysisTemplate",
    "AnalysisRun",
    "Experiment",
    "AppProject",
];

impl<'a> Knowledge<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let (written, assumed): (Vec<_>, Vec<_>) = mesh
            .resources
            .iter()
            .partition(|resource| resource.header.namespace_written);
        let owned = written
            .iter()
            .map(|resource| (resource.body.slot(), resource.header.namespace.as_str()))
            .collect();
        let beside = assumed
            .iter()
            .map(|resource| (resource.body.slot(), mesh.folder(&resource.header)))
            .collect();
        let chart = mesh
            .sources
            .files
            .iter()
            .any(|file| file.path.file_name() == Some("Chart.yaml"));
        let anywhere = mesh.others().any(|header| header.kind.as_str() == "ApplicationSet");
        let unrendered = chart || anywhere || !mesh.templates.is_empty();
        let operators = mesh
            .others()
            .filter(|header| generates(header))
            .map(|header| header.namespace.as_str());
        let releases = mesh.all::<Release<'a>>();
        let releases = releases
            .flat_map(|release| [release.body.namespace, Some(release.header.namespace)])
            .flatten();
        let generated = operators
            .chain(releases.map(|namespace| namespace.as_str()))
            .chain(mesh.units.open())
            .collect();
        let unreadable = mesh
            .unreadable()
            .map(|header| (header.kind.as_str(), header.namespace.as_str()))
            .collect();
        Self {
            owned,
            beside,
            unrendered,
            generated,
            unreadable,
        }
    }
}

/// Whether an operator could make something of it: a custom resource of a group that is not known to be inert.
fn generates(header: &Header<'_>) -> bool {
    let group = header.group();
    let built_in = !group.contains('.') || group.ends_with(".k8s.io") || group.ends_with(".istio.io");
    let inert = INERT_GROUPS.contains(&group) || INERT_KINDS.contains(&header.kind.as_str());
    !built_in && !inert
}

impl<'a> Mesh<'a> {
    /// Whether all resources of a kind in a namespace are in the input, as far as `asker` can tell: the run is complete,
    /// or the input defines another one there, nothing of it is unreadable, no chart has to be rendered, and no operator
    /// makes more of them. Of a namespace that is only assumed, the folder of the asker is what is known.
    pub fn owns(&self, slot: Slot, namespace: &str, asker: &Header<'_>) -> bool {
        if self.settings.complete {
            return true;
        }
        let known = &self.knowledge;
        let assumed = !asker.namespace_written && asker.namespace.as_str() == namespace;
        let owned = if assumed {
            known.beside.contains(&(slot, self.folder(asker)))
        } else {
            known.owned.contains(&(slot, namespace))
        };
        owned
            && !known.unrendered
            && !known.generated.contains(namespace)
            && !known.unreadable.iter().any(|(_, place)| *place == namespace)
    }

    /// The folder of a resource's file.
    pub(super) fn folder(&self, header: &Header<'_>) -> &'a Utf8Path {
        let path: &'a Utf8Path = &self.sources.file(header.span).path;
        path.parent().unwrap_or(path)
    }

    /// Whether a resource that a name leads to is certainly the one that `asker` meets in its cluster.
    pub fn is_surely(&self, found: &Header<'_>, asker: &Header<'_>) -> bool {
        if found.namespace.as_str() == asker.namespace.as_str() {
            self.surely_together(found, asker)
        } else {
            self.settings.complete || found.namespace_written
        }
    }

    /// Whether two resources certainly share a namespace, if theirs are the same: both are written, or both are assumed
    /// in one folder.
    pub(super) fn surely_together(&self, a: &Header<'_>, b: &Header<'_>) -> bool {
        self.settings.complete
            || a.namespace_written && b.namespace_written
            || !a.namespace_written && !b.namespace_written && self.folder(a) == self.folder(b)
    }
}
