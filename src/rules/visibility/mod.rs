//! Who sees a resource: `exportTo`.

mod mixed_export;
mod repeated_export;

use super::Rule;

pub const RULES: &[Rule] = &[mixed_export::RULE, repeated_export::RULE];
