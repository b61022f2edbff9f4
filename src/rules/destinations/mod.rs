//! `DestinationRule`s: hosts and subsets.

mod missing_rule_host;
mod unknown_rule_host;
mod unmatched_subset;

use super::Rule;

pub const RULES: &[Rule] = &[missing_rule_host::RULE, unknown_rule_host::RULE, unmatched_subset::RULE];
