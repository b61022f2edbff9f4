//! `EnvoyFilter`s and plugins.

mod envoyfilter_in_use;

use super::Rule;

pub const RULES: &[Rule] = &[envoyfilter_in_use::RULE];
