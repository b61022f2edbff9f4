//! `VirtualService`s: hosts, ports, subsets and gateways that routes name.

mod undefined_subset;
mod unknown_destination_host;
mod unknown_destination_port;
mod unknown_gateway;
mod unserved_host;

use super::Rule;

pub const RULES: &[Rule] = &[
    undefined_subset::RULE,
    unknown_destination_host::RULE,
    unknown_destination_port::RULE,
    unknown_gateway::RULE,
    unserved_host::RULE,
];
