//! Metrics, traces and access logs.

mod mismatched_tag_override;
mod nameless_tag;
mod several_tracers;

use super::Rule;

pub const RULES: &[Rule] = &[mismatched_tag_override::RULE, nameless_tag::RULE, several_tracers::RULE];
