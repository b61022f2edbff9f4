use crate::rules::Rule;

pub const RULES: &[Rule] = &[];
