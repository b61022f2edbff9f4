//! Texts and structures: what the API server would refuse or drop.

mod duplicate_key;
mod duplicate_resource;
mod mistyped_field;
mod syntax_error;
mod unknown_field;
mod unknown_kind;
mod unknown_version;

use super::Rule;

pub const RULES: &[Rule] = &[
    duplicate_key::RULE,
    duplicate_resource::RULE,
    mistyped_field::RULE,
    syntax_error::RULE,
    unknown_field::RULE,
    unknown_kind::RULE,
    unknown_version::RULE,
];
