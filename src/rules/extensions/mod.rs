//! `EnvoyFilter`s and plugins.

mod deprecated_filter_name;
mod envoyfilter_in_use;
mod filter_without_configuration;
mod ineffective_filter_match;
mod ineffective_patch;
mod match_of_another_kind;
mod misplaced_sub_filter;
mod patch_without_value;
mod undecodable_patch;
mod value_beside_host_variable;

use super::Rule;

pub const RULES: &[Rule] = &[
    deprecated_filter_name::RULE,
    envoyfilter_in_use::RULE,
    filter_without_configuration::RULE,
    ineffective_filter_match::RULE,
    ineffective_patch::RULE,
    match_of_another_kind::RULE,
    misplaced_sub_filter::RULE,
    patch_without_value::RULE,
    undecodable_patch::RULE,
    value_beside_host_variable::RULE,
];
