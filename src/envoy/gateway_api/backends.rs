//! Backends: what a reference leads to, and what may be referred to.

use super::Context;
use super::grants::Reference;
use super::listeners::RouteKind;
use crate::envoy::message::Str;
use crate::envoy::routing::model::{Destination, HeaderChanges, WeightedDestination};
use crate::model::gateway_api::{BackendObjectReference, BackendRef, GrpcBackendRef, HttpBackendRef};
use crate::model::{Header, Slot, Spanned, Text};
use crate::source::Span;

/// Where requests go whose backend may not be referred to.
const UNKNOWN: &str = "UnknownService";

/// A reference to a backend, of any route.
#[derive(Clone, Copy, Debug)]
pub struct Backend<'a> {
    group: Option<Text<'a>>,
    kind: Option<Text<'a>>,
    name: Option<Text<'a>>,
    namespace: Option<Text<'a>>,
    port: Option<Spanned<i64>>,
    span: Span,
}

macro_rules! backends {
    ($($reference:ident),*) => { $(
        impl<'a> From<&$reference<'a>> for Backend<'a> {
            fn from(reference: &$reference<'a>) -> Self {
                Self {
                    group: reference.group,
                    kind: reference.kind,
                    name: reference.name,
                    namespace: reference.namespace,
                    port: reference.port,
                    span: reference.span,
                }
            }
        }
    )* };
}

backends!(HttpBackendRef, GrpcBackendRef, BackendRef, BackendObjectReference);

/// Whose backends are looked up.
#[derive(Clone, Copy, Debug)]
pub struct Referrer<'m, 'a> {
    /// The route.
    pub header: &'m Header<'a>,
    /// Its kind.
    pub kind: RouteKind,
    /// Whether it attaches to services of the mesh, where no ReferenceGrant is needed.
    pub in_mesh: bool,
}

/// What a reference comes to.
#[derive(Debug)]
pub struct Resolved {
    /// The destination, `UnknownService` where the reference is not granted or its kind means nothing.
    pub destination: Destination,
    /// Whether there is such a backend.
    pub exists: bool,
}

impl Context<'_, '_, '_> {
    /// What a backend comes to; `None` where it is so wrong that the whole route counts for nothing (catalogue: gateways,
    /// 64).
    pub fn resolve(&self, backend: &Backend<'_>, referrer: Referrer<'_, '_>) -> Option<Resolved> {
        let own = referrer.header.namespace.as_str();
        let namespace = backend.namespace.map_or(own, |namespace| namespace.as_str());
        let group = backend.group.map_or("", |group| group.as_str());
        let kind = backend.kind.map_or("Service", |kind| kind.as_str());
        let name = backend.name.map_or("", |name| name.as_str());
        let reference = Reference {
            from_kind: referrer.kind.name(),
            from_namespace: own,
            group,
            kind,
            namespace,
        };
        if !referrer.in_mesh && !self.grants.admit(&reference, name) {
            return Some(unknown(backend.span));
        }
        let host = match (group, kind) {
            ("" | "core", "Service") if name.contains('.') => return None,
            ("" | "core", "Service") => {
                Str::from(format!("{name}.{namespace}.svc.{}", self.mesh.settings.cluster_domain))
            }
            ("networking.istio.io", "Hostname") if backend.namespace.is_some() => return None,
            ("networking.istio.io", "Hostname") => Str::new(name),
            _ => return Some(unknown(backend.span)),
        };
        let exists =
            !self.registry.of_host(&host).is_empty() || !self.mesh.owns(Slot::Service, namespace, referrer.header);
        Some(Resolved {
            destination: Destination {
                host,
                subset: Str::default(),
                port: Some(u32::try_from(backend.port?.value).ok()?),
                cluster: None,
                span: backend.span,
            },
            exists,
        })
    }

    /// Destinations without changes to headers; `None` where one is so wrong that the whole route counts for nothing.
    pub fn destinations(
        &self,
        references: &[BackendRef<'_>],
        referrer: Referrer<'_, '_>,
    ) -> Option<Vec<WeightedDestination>> {
        let shares = shares(references.iter().map(|reference| (reference, reference.weight)));
        let resolved = shares.into_iter().map(|(reference, weight)| {
            Some(WeightedDestination {
                destination: self.resolve(&reference.into(), referrer)?.destination,
                weight,
                headers: HeaderChanges::default(),
            })
        });
        resolved.collect()
    }
}

/// References with their shares; those with none of it are left out, and a single one takes all.
pub fn shares<'r, T>(references: impl Iterator<Item = (&'r T, Option<Spanned<i64>>)>) -> Vec<(&'r T, Option<u32>)> {
    let weight = |weight: Option<Spanned<i64>>| weight.map_or(1, |weight| u32::try_from(weight.value).unwrap_or(0));
    let weighted = references.map(|(reference, written)| (reference, Some(weight(written))));
    let mut shares: Vec<_> = weighted.filter(|(_, weight)| *weight != Some(0)).collect();
    if let [(_, weight)] = shares.as_mut_slice() {
        *weight = None;
    }
    shares
}

fn unknown(span: Span) -> Resolved {
    Resolved {
        destination: Destination {
            host: Str::default(),
            subset: Str::default(),
            port: None,
            cluster: Some(Str::new_static(UNKNOWN)),
            span,
        },
        exists: false,
    }
}
