//! Which Sidecar holds for a proxy.

use rustc_hash::FxHashMap;

use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::registry::UNDATED;
use crate::mesh::{Mesh, Object};
use crate::model::istio::Sidecar;

/// The Sidecars of a mesh by namespace, oldest first, then by name.
#[derive(Debug)]
pub(super) struct Sidecars<'m, 'a> {
    by_namespace: FxHashMap<&'m str, Vec<Object<'m, 'a, Sidecar<'a>>>>,
    root_namespace: &'m str,
}

impl<'m, 'a> Sidecars<'m, 'a> {
    pub(super) fn new(mesh: &'m Mesh<'a>) -> Self {
        let mut by_namespace: FxHashMap<&'m str, Vec<_>> = FxHashMap::default();
        for sidecar in mesh.all::<Sidecar<'a>>().filter(|sidecar| sidecar.header.cluster == 0) {
            let list = by_namespace.entry(sidecar.header.namespace.as_str()).or_default();
            list.push(sidecar);
        }
        for list in by_namespace.values_mut() {
            list.sort_by_key(|sidecar| {
                let created = sidecar.header.created.map_or(UNDATED, |created| created.as_str());
                (created, sidecar.header.name.as_str())
            });
        }
        Self {
            by_namespace,
            root_namespace: &mesh.settings.root_namespace,
        }
    }

    /// The one that holds for a proxy: one that selects it (an empty selector selects every proxy of the namespace), else that of its namespace, else that of the mesh. None is
    /// merged (catalogue: Sidecar and outbound policy, 54). A gateway follows none.
    pub(super) fn of(&self, proxy: &PodGroup<'m, 'a>) -> Option<Object<'m, 'a, Sidecar<'a>>> {
        if proxy.role != Some(Role::Sidecar) {
            return None;
        }
        let own = self.by_namespace.get(proxy.namespace).map_or(&[][..], Vec::as_slice);
        let selects = |sidecar: &&Object<'m, 'a, Sidecar<'a>>| {
            let selector = sidecar.body.workload_selector.as_deref();
            selector.is_some_and(|selector| proxy.has(selector.labels.iter()))
        };
        let selected = own
            .iter()
            .find(selects)
            .or_else(|| own.iter().find(|sidecar| is_general(sidecar)));
        selected
            .or_else(|| {
                self.by_namespace
                    .get(self.root_namespace)?
                    .iter()
                    .find(|sidecar| is_general(sidecar))
            })
            .copied()
    }
}

fn is_general(sidecar: &Object<'_, '_, Sidecar<'_>>) -> bool {
    sidecar.body.workload_selector.is_none()
}
