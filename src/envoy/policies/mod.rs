//! What is attached to a target: a workload, a gateway, or one service of a waypoint.

pub mod authentication;
pub mod authorization;
mod target;

use rustc_hash::FxHashMap;

pub use target::{ServiceName, Target};

use crate::mesh::{Mesh, Object};
use crate::model::istio::{
    AuthorizationPolicy, RequestAuthentication, Targets, Telemetry, TrafficExtension, WasmPlugin,
};
use crate::model::{Body, Typed};

use super::World;
use super::registry::UNDATED;
use super::telemetry::Known;

/// Resources that are attached by selector or reference, by kind and namespace.
#[derive(Debug)]
pub struct Policies<'m, 'a> {
    /// `AuthorizationPolicy`
    pub authorization: Attachable<'m, 'a, AuthorizationPolicy<'a>>,
    /// `RequestAuthentication`
    pub authentication: Attachable<'m, 'a, RequestAuthentication<'a>>,
    /// `Telemetry`
    pub telemetry: Attachable<'m, 'a, Telemetry<'a>>,
    /// `WasmPlugin`
    pub plugins: Attachable<'m, 'a, WasmPlugin<'a>>,
    /// `TrafficExtension`
    pub extensions: Attachable<'m, 'a, TrafficExtension<'a>>,
    /// What is told of traffic, as far as it was asked for.
    pub signals: Known,
}

impl<'m, 'a> Policies<'m, 'a> {
    /// Indexes a mesh.
    pub fn new(mesh: &'m Mesh<'a>) -> Self {
        Self {
            authorization: Attachable::new(mesh),
            authentication: Attachable::new(mesh),
            telemetry: Attachable::new(mesh),
            plugins: Attachable::new(mesh),
            extensions: Attachable::new(mesh),
            signals: Known::default(),
        }
    }
}

/// The resources of one kind by namespace; in each the oldest is first, then the first by name.
#[derive(Debug)]
pub struct Attachable<'m, 'a, T> {
    by_namespace: FxHashMap<&'m str, Vec<Attached<'m, 'a, T>>>,
}

/// A resource and what it is for.
#[derive(Clone, Copy, Debug)]
pub struct Attached<'m, 'a, T> {
    /// The resource.
    pub object: Object<'m, 'a, T>,
    /// What it is for.
    pub targets: Targets<'m, 'a>,
}

impl<'m, 'a, T: Typed<'a> + 'a> Attachable<'m, 'a, T> {
    /// Only the first cluster's resources count (catalogue: policies, 66).
    pub fn new(mesh: &'m Mesh<'a>) -> Self {
        let mut by_namespace: FxHashMap<&'m str, Vec<Attached<'m, 'a, T>>> = FxHashMap::default();
        for object in mesh.all::<T>().filter(|object| object.header.cluster == 0) {
            let body: &'m Body<'a> = &mesh.resources[object.id as usize].body;
            let attached = Attached {
                object,
                targets: Targets::of(body),
            };
            by_namespace
                .entry(object.header.namespace.as_str())
                .or_default()
                .push(attached);
        }
        for list in by_namespace.values_mut() {
            list.sort_by_key(|attached| {
                let header = attached.object.header;
                (
                    header.created.map_or(UNDATED, |created| created.as_str()),
                    header.name.as_str(),
                )
            });
        }
        Self { by_namespace }
    }

    /// Those of one namespace.
    pub fn of_namespace(&self, namespace: &str) -> &[Attached<'m, 'a, T>] {
        self.by_namespace.get(namespace).map_or(&[], Vec::as_slice)
    }

    /// Those that apply to a target: of the root namespace, of its own, and of the service's.
    pub fn of_target<'w>(
        &'w self,
        world: &'w World<'m, 'a>,
        target: &'w Target<'_>,
    ) -> impl Iterator<Item = &'w Attached<'m, 'a, T>> {
        let root = world.mesh.settings.root_namespace.as_str();
        let own = Some(target.namespace).filter(|own| *own != root);
        let service = target.service.as_ref().map(|service| service.namespace);
        let service = service.filter(|service| *service != root && Some(*service) != own);
        let namespaces = std::iter::once(root).chain(own).chain(service);
        let all = namespaces.flat_map(|namespace| self.of_namespace(namespace));
        all.filter(move |attached| target.takes(world, attached.object.header, attached.targets))
    }
}
