//! What the run itself finds.

mod internal_error;
mod malformed_ignore;
mod unknown_rule;
mod unused_ignore;

use super::Rule;

pub const RULES: &[Rule] = &[
    internal_error::RULE,
    malformed_ignore::RULE,
    unknown_rule::RULE,
    unused_ignore::RULE,
];
