//! Revisions and tags.

mod malformed_revision;

use super::Rule;

pub const RULES: &[Rule] = &[malformed_revision::RULE];
