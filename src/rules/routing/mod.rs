//! `VirtualService`s: hosts, ports, subsets and gateways that routes name, and what routes do.

mod abort_without_status;
mod authority_set_twice;
mod claim_match_in_mesh;
mod conflicting_route_actions;
mod deprecated_gateway_name;
mod deprecated_mirror_percent;
mod empty_route_action;
mod empty_virtual_service;
mod inapplicable_match;
mod ineffective_virtual_service;
mod ip_sni_host;
mod mesh_wide_wildcard_host;
mod mismatched_route_protocol;
mod misplaced_delegate_field;
mod overlapping_hosts;
mod prefix_rewrite_without_prefix;
mod repeated_match;
mod retry_settings_without_attempts;
mod route_without_action;
mod shadowed_match;
mod sni_host_outside_hosts;
mod undefined_subset;
mod unknown_destination_host;
mod unknown_destination_port;
mod unknown_gateway;
mod unreachable_route;
mod unserved_host;
mod unusable_internal_host;
mod zero_weights;

use super::Rule;

pub const RULES: &[Rule] = &[
    abort_without_status::RULE,
    authority_set_twice::RULE,
    claim_match_in_mesh::RULE,
    conflicting_route_actions::RULE,
    deprecated_gateway_name::RULE,
    deprecated_mirror_percent::RULE,
    empty_route_action::RULE,
    empty_virtual_service::RULE,
    inapplicable_match::RULE,
    ineffective_virtual_service::RULE,
    ip_sni_host::RULE,
    mesh_wide_wildcard_host::RULE,
    misplaced_delegate_field::RULE,
    mismatched_route_protocol::RULE,
    overlapping_hosts::RULE,
    prefix_rewrite_without_prefix::RULE,
    repeated_match::RULE,
    retry_settings_without_attempts::RULE,
    route_without_action::RULE,
    shadowed_match::RULE,
    sni_host_outside_hosts::RULE,
    undefined_subset::RULE,
    unknown_destination_host::RULE,
    unknown_destination_port::RULE,
    unknown_gateway::RULE,
    unreachable_route::RULE,
    unserved_host::RULE,
    unusable_internal_host::RULE,
    zero_weights::RULE,
];
