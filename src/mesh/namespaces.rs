//! Namespaces and what their labels, and those of pods, say of the data plane and its revision.

use rustc_hash::FxHashMap;

use super::{Mesh, Object, ResourceId, WorkloadRef};
use crate::model::kubernetes::WebhookConfiguration;
use crate::model::{Labels, Namespace, Text};

/// The label that puts a namespace under the default revision.
pub const INJECTION: &str = "istio-injection";
/// The label that names a revision or a tag.
pub const REVISION: &str = "istio.io/rev";
/// The label that takes pods into the ambient mesh.
pub const DATA_PLANE_MODE: &str = "istio.io/dataplane-mode";
/// The label of a pod that asks for a sidecar or refuses it.
pub const INJECT: &str = "sidecar.istio.io/inject";
/// The label of a webhook that is a tag.
const TAG: &str = "istio.io/tag";

/// How a workload is part of the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPlane {
    /// A sidecar is injected, or written in the template, or the pod is a gateway.
    Sidecar,
    /// ztunnel takes its traffic.
    Ambient,
    /// Not at all.
    None,
    /// The input does not tell.
    Unknown,
}

/// How a workload is part of the mesh, and the revision or tag whose label says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment<'m> {
    /// How.
    pub data_plane: DataPlane,
    /// The value of `istio.io/rev` that decides, a revision or a tag; `None` is the default revision.
    pub revision: Option<&'m str>,
}

/// Namespaces by name, tags by name.
#[derive(Debug, Default)]
pub(super) struct Namespaces<'a> {
    by_name: FxHashMap<&'a str, ResourceId>,
    tags: FxHashMap<&'a str, &'a str>,
}

impl<'a> Namespaces<'a> {
    pub(super) fn index(mesh: &Mesh<'a>) -> Self {
        let by_name = mesh
            .all::<Namespace<'a>>()
            .map(|namespace| (namespace.body.name.as_str(), namespace.id))
            .collect();
        let tag = |webhook: Object<'_, 'a, WebhookConfiguration<'a>>| {
            let labels = &webhook.header.labels;
            Some((labels.get(TAG)?.as_str(), labels.get(REVISION)?.as_str()))
        };
        Self {
            by_name,
            tags: mesh.all::<WebhookConfiguration<'a>>().filter_map(tag).collect(),
        }
    }
}

impl<'a> Mesh<'a> {
    /// The Namespace of this name, if it is in the input.
    pub fn namespace(&self, name: &str) -> Option<Object<'_, 'a, Namespace<'a>>> {
        self.namespaces.by_name.get(name).and_then(|id| self.object(*id))
    }

    /// The revision that a tag's webhook points to.
    pub fn tag(&self, name: &str) -> Option<&'a str> {
        self.namespaces.tags.get(name).copied()
    }

    /// How the pods of a workload are part of the mesh.
    ///
    /// The order is that of the injector's webhooks: the namespace's `istio-injection`, its revision, the pod's revision,
    /// the pod's wish. Where the Namespace is not in the input only a pod's refusal is certain.
    pub fn attachment(&self, workload: WorkloadRef) -> Attachment<'_> {
        let Some(template) = self.template_of(workload) else {
            return Attachment {
                data_plane: DataPlane::Unknown,
                revision: None,
            };
        };
        let pod = template.metadata.as_ref().map(|metadata| &metadata.labels);
        let written = template.containers().any(|container| {
            container.name.as_ref().map(Text::as_str) == Some("istio-proxy")
                && container.image.as_deref().is_some_and(|image| *image != "auto")
        });
        let host_network = template
            .spec
            .as_ref()
            .and_then(|spec| spec.host_network.as_deref())
            .copied()
            == Some(true);
        if written {
            return Attachment {
                data_plane: DataPlane::Sidecar,
                revision: label(pod, REVISION),
            };
        }
        let namespace = self.namespace(self.header(workload).namespace.as_str());
        let sidecar = if host_network || refuses(pod, template.annotation(INJECT)) {
            Injection::Refused
        } else {
            Self::injection(namespace, pod)
        };
        match sidecar {
            Injection::By(revision) => Attachment {
                data_plane: DataPlane::Sidecar,
                revision,
            },
            Injection::Refused if host_network => Attachment {
                data_plane: DataPlane::None,
                revision: None,
            },
            Injection::Unknown => Attachment {
                data_plane: DataPlane::Unknown,
                revision: None,
            },
            Injection::Refused | Injection::Not => Attachment {
                data_plane: ambient(namespace, pod),
                revision: None,
            },
        }
    }

    fn injection<'m>(namespace: Option<Object<'m, 'a, Namespace<'a>>>, pod: Option<&'m Labels<'a>>) -> Injection<'m> {
        let asks = label(pod, INJECT) == Some("true");
        let Some(namespace) = namespace else {
            return if asks {
                Injection::By(label(pod, REVISION))
            } else {
                Injection::Unknown
            };
        };
        let labels = &namespace.header.labels;
        match (labels.get(INJECTION), labels.get(REVISION)) {
            (Some(injection), _) if injection.as_str() == "enabled" => Injection::By(None),
            (Some(_), _) => Injection::Not,
            (None, Some(revision)) => Injection::By(Some(revision.as_str())),
            (None, None) => match label(pod, REVISION) {
                Some(revision) => Injection::By(Some(revision)),
                None if asks => Injection::By(None),
                None => Injection::Not,
            },
        }
    }

    /// How the pods behind a Service are part of the mesh: as the first of them that is known to be.
    pub fn service_data_plane(&self, selector: &Labels<'_>, namespace: &str) -> DataPlane {
        let wanted: Vec<_> = selector.iter().collect();
        let planes = self
            .select(Some(namespace), &wanted)
            .map(|workload| self.attachment(workload).data_plane);
        let mut answer = None;
        for plane in planes.take(if wanted.is_empty() { 0 } else { usize::MAX }) {
            match plane {
                DataPlane::Sidecar | DataPlane::Ambient => return plane,
                DataPlane::Unknown => answer = Some(plane),
                DataPlane::None => answer = answer.or(Some(plane)),
            }
        }
        answer.unwrap_or_else(|| self.namespace_data_plane(namespace))
    }

    /// How pods of a namespace are part of the mesh that say nothing themselves.
    pub fn namespace_data_plane(&self, namespace: &str) -> DataPlane {
        let found = self.namespace(namespace);
        match Self::injection(found, None) {
            Injection::By(_) => DataPlane::Sidecar,
            Injection::Unknown => DataPlane::Unknown,
            Injection::Refused | Injection::Not => ambient(found, None),
        }
    }
}

enum Injection<'m> {
    By(Option<&'m str>),
    Refused,
    Not,
    Unknown,
}

fn label<'m>(labels: Option<&'m Labels<'_>>, key: &str) -> Option<&'m str> {
    labels.and_then(|labels| labels.get(key)).map(Text::as_str)
}

fn refuses(pod: Option<&Labels<'_>>, annotation: Option<&Text<'_>>) -> bool {
    label(pod, INJECT)
        .or(annotation.map(Text::as_str))
        .is_some_and(|value| value.eq_ignore_ascii_case("false"))
}

fn ambient(namespace: Option<Object<'_, '_, Namespace<'_>>>, pod: Option<&Labels<'_>>) -> DataPlane {
    match label(pod, DATA_PLANE_MODE) {
        Some("ambient") => DataPlane::Ambient,
        Some("none") => DataPlane::None,
        _ if namespace.is_some_and(|namespace| namespace.header.labels.has(DATA_PLANE_MODE, "ambient")) => {
            DataPlane::Ambient
        }
        _ if namespace.is_none() => DataPlane::Unknown,
        _ => DataPlane::None,
    }
}
