//! Namespaces, pods and Services: who is in the mesh, and with which protocols.

mod conflicting_injection_labels;
mod port_without_protocol;
mod uninjected_namespace;

use super::Rule;

pub const RULES: &[Rule] = &[
    conflicting_injection_labels::RULE,
    port_without_protocol::RULE,
    uninjected_namespace::RULE,
];
