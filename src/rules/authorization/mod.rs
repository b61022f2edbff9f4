//! `AuthorizationPolicy`s.

mod deny_without_ports;

use super::Rule;

pub const RULES: &[Rule] = &[deny_without_ports::RULE];
