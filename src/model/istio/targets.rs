//! What a resource is for: pods by their labels, or resources by their names. Alike for all of Istio's kinds.

use super::{LabelsSelector, PolicyTargetReference, WorkloadSelector};
use crate::model::{Body, Labels};
use crate::source::Span;

/// Labels that pods must have.
#[derive(Clone, Copy, Debug)]
pub struct Selector<'r, 'a> {
    /// The name of its field.
    pub field: &'static str,
    /// Where it stands.
    pub span: Span,
    /// The labels.
    pub labels: &'r Labels<'a>,
}

/// What a resource is for; of kinds that cannot say so there are none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Targets<'r, 'a> {
    /// `selector` or `workloadSelector`.
    pub selector: Option<Selector<'r, 'a>>,
    /// `targetRef`.
    pub target_ref: Option<&'r PolicyTargetReference<'a>>,
    /// `targetRefs`.
    pub target_refs: &'r [PolicyTargetReference<'a>],
    /// Where `targetRefs` stands, even if it is empty.
    pub target_refs_key: Option<Span>,
}

impl<'r, 'a> Targets<'r, 'a> {
    /// What a resource with this body is for.
    pub fn of(body: &'r Body<'a>) -> Self {
        match body {
            Body::AuthorizationPolicy(it) => Self::selector(it.selector.as_ref()).naming(
                it.target_ref.as_deref(),
                &it.target_refs,
                it.target_refs_key,
            ),
            Body::RequestAuthentication(it) => Self::selector(it.selector.as_deref()).naming(
                it.target_ref.as_deref(),
                &it.target_refs,
                it.target_refs_key,
            ),
            Body::Telemetry(it) => Self::selector(it.selector.as_deref()).naming(
                it.target_ref.as_deref(),
                &it.target_refs,
                it.target_refs_key,
            ),
            Body::WasmPlugin(it) => Self::selector(it.selector.as_deref()).naming(
                it.target_ref.as_deref(),
                &it.target_refs,
                it.target_refs_key,
            ),
            Body::TrafficExtension(it) => {
                Self::selector(it.selector.as_deref()).naming(None, &it.target_refs, it.target_refs_key)
            }
            Body::PeerAuthentication(it) => Self::selector(it.selector.as_deref()),
            Body::ProxyConfig(it) => Self::selector(it.selector.as_deref()),
            Body::DestinationRule(it) => {
                let selector = it.workload_selector.as_deref();
                Self::workloads(selector.map(|selector| (selector.span, &selector.match_labels)))
            }
            Body::ServiceEntry(it) => Self::labels(it.workload_selector.as_deref()),
            Body::Sidecar(it) => Self::labels(it.workload_selector.as_deref()),
            Body::EnvoyFilter(it) => {
                Self::labels(it.workload_selector.as_deref()).naming(None, &it.target_refs, it.target_refs_key)
            }
            _ => Self::default(),
        }
    }

    /// Whether it is for everything in its namespace: it has no selector with labels and names nothing.
    pub fn is_whole_namespace(self) -> bool {
        self.selector.is_none_or(|selector| selector.labels.is_empty()) && self.references().next().is_none()
    }

    /// The resources it names.
    pub fn references(self) -> impl Iterator<Item = &'r PolicyTargetReference<'a>> {
        self.target_ref.into_iter().chain(self.target_refs)
    }

    fn selector(selector: Option<&'r WorkloadSelector<'a>>) -> Self {
        let selector = selector.map(|selector| Selector {
            field: "selector",
            span: selector.span,
            labels: &selector.match_labels,
        });
        Self {
            selector,
            ..Self::default()
        }
    }

    fn labels(selector: Option<&'r LabelsSelector<'a>>) -> Self {
        Self::workloads(selector.map(|selector| (selector.span, &selector.labels)))
    }

    fn workloads(selector: Option<(Span, &'r Labels<'a>)>) -> Self {
        let selector = selector.map(|(span, labels)| Selector {
            field: "workloadSelector",
            span,
            labels,
        });
        Self {
            selector,
            ..Self::default()
        }
    }

    fn naming(
        self,
        target_ref: Option<&'r PolicyTargetReference<'a>>,
        target_refs: &'r [PolicyTargetReference<'a>],
        target_refs_key: Option<Span>,
    ) -> Self {
        Self {
            target_ref,
            target_refs,
            target_refs_key,
            ..self
        }
    }
}
