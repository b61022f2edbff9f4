//! Who receives how much of the mesh.

mod unscoped_namespace;

use super::Rule;

pub const RULES: &[Rule] = &[unscoped_namespace::RULE];
