//! Selectors and target references, alike for all kinds that have them.

mod empty_selector;
mod several_attachments;
mod target_with_namespace;
mod unsupported_target;

use super::Rule;
use crate::mesh::Mesh;
use crate::model::istio::Targets;
use crate::model::{Header, Slot};

pub const RULES: &[Rule] = &[
    empty_selector::RULE,
    several_attachments::RULE,
    target_with_namespace::RULE,
    unsupported_target::RULE,
];

/// The kinds that say which workloads or resources they are for.
const KINDS: [Slot; 11] = [
    Slot::AuthorizationPolicy,
    Slot::RequestAuthentication,
    Slot::PeerAuthentication,
    Slot::Telemetry,
    Slot::WasmPlugin,
    Slot::TrafficExtension,
    Slot::ProxyConfig,
    Slot::DestinationRule,
    Slot::ServiceEntry,
    Slot::Sidecar,
    Slot::EnvoyFilter,
];

/// What all resources of these kinds are for.
fn targets<'m, 'a>(mesh: &'m Mesh<'a>) -> impl Iterator<Item = (&'m Header<'a>, Targets<'m, 'a>)> {
    KINDS
        .into_iter()
        .flat_map(|kind| mesh.resources_of(kind))
        .map(|resource| (&resource.header, Targets::of(&resource.body)))
}
