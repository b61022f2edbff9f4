//! The mesh configuration.

mod duplicate_provider;
mod incomplete_provider;
mod ineffective_inbound_retry;

use super::Rule;

pub const RULES: &[Rule] = &[
    duplicate_provider::RULE,
    incomplete_provider::RULE,
    ineffective_inbound_retry::RULE,
];
