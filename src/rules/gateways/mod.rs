//! `Gateway`s: servers and the pods they run on.

mod unmatched_gateway_selector;

use super::Rule;

pub const RULES: &[Rule] = &[unmatched_gateway_selector::RULE];
