//! Resources in, one indexed mesh out.
//!
//! Takes [`Manifests`] and the [`Settings`] and hands on a [`Mesh`] that is never changed again. Every question of the
//! kind "what does this name mean, who sees it, which pods are these" is answered here, from indexes that are built once.
//! Knows nothing of rules and of Envoy.

mod doors;
mod gateways;
mod hosts;
mod knowledge;
mod lookup;
mod namespaces;
mod ports;
mod routes;
mod scope;
mod settings;
mod subsets;
mod target_ports;
mod units;
mod visibility;
mod workloads;

use std::ops::Deref;

pub use doors::{Door, Doors};
pub use gateways::{GatewayRef, hosts_overlap};
pub use hosts::{Host, HostName, Provider};
pub use lookup::Lookup;
pub use namespaces::{Attachment, DATA_PLANE_MODE, DataPlane, INJECT, INJECTION, REVISION};
pub use ports::{Protocol, protocol};
pub use routes::{Hidden, hidden_routes};
pub use scope::Scope;
pub use settings::{Given, Settings};
pub use units::UnitId;
pub use visibility::{ExportTo, SidecarHosts};
pub use workloads::{WorkloadRef, is_gateway_template};

use crate::model::{Directive, Header, Manifests, Resource, Slot, Template, Typed, UnknownKind};
use crate::schema::Violation;
use crate::source::Sources;
use crate::yaml::Problem;

/// A resource's place in [`Mesh::resources`].
pub type ResourceId = u32;

/// All resources of a run, and what they mean together.
#[derive(Debug)]
pub struct Mesh<'a> {
    /// The files behind the spans.
    pub sources: &'a Sources,
    /// The objects in the order of files and text.
    pub resources: Vec<Resource<'a>>,
    /// Faults of the text.
    pub problems: Vec<Problem>,
    /// Faults of the structure.
    pub violations: Vec<Violation>,
    /// Kinds and versions that do not exist.
    pub unknown_kinds: Vec<UnknownKind<'a>>,
    /// Comments that are meant for meshlint.
    pub directives: Vec<Directive<'a>>,
    /// Files that have to be rendered first.
    pub templates: Vec<Template>,
    /// Documents with content, of any tool.
    pub documents: usize,
    /// Mesh configuration and the arguments of the run.
    pub settings: Settings<'a>,
    slots: Vec<Vec<ResourceId>>,
    units: units::Units<'a>,
    knowledge: knowledge::Knowledge<'a>,
    namespaces: namespaces::Namespaces<'a>,
    hosts: hosts::Hosts<'a>,
    subsets: subsets::Subsets<'a>,
    workloads: workloads::Workloads<'a>,
    gateways: gateways::Gateways<'a>,
    exposures: scope::Exposures<'a>,
}

/// A resource of a known kind; derefs to what the kind holds.
#[derive(Debug)]
pub struct Object<'m, 'a, T> {
    /// Its place among the resources.
    pub id: ResourceId,
    /// Kind, name, metadata.
    pub header: &'m Header<'a>,
    /// What the kind holds.
    pub body: &'m T,
}

impl<T> Clone for Object<'_, '_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Object<'_, '_, T> {}

impl<T> Deref for Object<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.body
    }
}

impl<'a> Mesh<'a> {
    /// Indexes what was read.
    pub fn index(sources: &'a Sources, manifests: Manifests<'a>, settings: Settings<'a>) -> Self {
        let mut manifests = manifests;
        let units = units::arrange(sources, &mut manifests);
        let mut mesh = Self {
            sources,
            resources: manifests.resources,
            problems: manifests.problems,
            violations: manifests.violations,
            unknown_kinds: manifests.unknown_kinds,
            directives: manifests.directives,
            templates: manifests.templates,
            documents: manifests.documents,
            settings,
            slots: vec![Vec::new(); Slot::COUNT],
            units,
            knowledge: knowledge::Knowledge::default(),
            namespaces: namespaces::Namespaces::default(),
            hosts: hosts::Hosts::default(),
            subsets: subsets::Subsets::default(),
            workloads: workloads::Workloads::default(),
            gateways: gateways::Gateways::default(),
            exposures: scope::Exposures::default(),
        };
        for (id, resource) in (0..).zip(&mesh.resources) {
            mesh.slots[resource.body.slot() as usize].push(id);
        }
        let ((hosts, subsets), (knowledge, namespaces, workloads, gateways)) = rayon::join(
            || (hosts::Hosts::index(&mesh), subsets::Subsets::index(&mesh)),
            || {
                (
                    knowledge::Knowledge::index(&mesh),
                    namespaces::Namespaces::index(&mesh),
                    workloads::Workloads::index(&mesh),
                    gateways::Gateways::index(&mesh),
                )
            },
        );
        (mesh.hosts, mesh.subsets, mesh.knowledge) = (hosts, subsets, knowledge);
        (mesh.namespaces, mesh.workloads, mesh.gateways) = (namespaces, workloads, gateways);
        mesh.exposures = scope::Exposures::index(&mesh);
        mesh
    }

    /// All resources of a kind, in the order of files and text.
    pub fn all<T: Typed<'a> + 'a>(&self) -> impl Iterator<Item = Object<'_, 'a, T>> {
        self.slots[T::SLOT as usize].iter().filter_map(|id| self.object(*id))
    }

    /// All resources of a kind as they are, for questions that are alike for several kinds.
    pub fn resources_of(&self, slot: Slot) -> impl Iterator<Item = &Resource<'a>> {
        self.slots[slot as usize].iter().map(|id| &self.resources[*id as usize])
    }

    /// A resource, if it is of this kind.
    pub fn object<T: Typed<'a>>(&self, id: ResourceId) -> Option<Object<'_, 'a, T>> {
        let resource = &self.resources[id as usize];
        T::of(&resource.body).map(|body| Object {
            id,
            header: &resource.header,
            body,
        })
    }

    /// The header of a resource.
    pub fn header(&self, id: ResourceId) -> &Header<'a> {
        &self.resources[id as usize].header
    }

    /// Documents whose text is broken.
    pub fn unreadable(&self) -> impl Iterator<Item = &Header<'a>> {
        self.slots[Slot::Unreadable as usize].iter().map(|id| self.header(*id))
    }

    /// Resources of kinds that meshlint does not read.
    pub fn others(&self) -> impl Iterator<Item = &Header<'a>> {
        self.slots[Slot::Other as usize].iter().map(|id| self.header(*id))
    }
}
