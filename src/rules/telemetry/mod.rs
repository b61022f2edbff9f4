//! Metrics, traces and access logs.

mod mismatched_tag_override;
mod several_tracers;

use super::Rule;

pub const RULES: &[Rule] = &[mismatched_tag_override::RULE, several_tracers::RULE];
