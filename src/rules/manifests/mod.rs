//! Texts and structures: what the API server would refuse or drop.

mod broken_condition;
mod duplicate_key;
mod duplicate_resource;
mod mistyped_field;
mod reserved_annotation;
mod syntax_error;
mod unevaluated_condition;
mod unknown_field;
mod unknown_kind;
mod unknown_version;
mod unusable_dry_run;

use super::Rule;
use crate::model::Header;

pub const RULES: &[Rule] = &[
    broken_condition::RULE,
    duplicate_key::RULE,
    duplicate_resource::RULE,
    mistyped_field::RULE,
    reserved_annotation::RULE,
    syntax_error::RULE,
    unevaluated_condition::RULE,
    unknown_field::RULE,
    unknown_kind::RULE,
    unknown_version::RULE,
    unusable_dry_run::RULE,
];

/// Whether istiod's validating webhook looks at resources of this kind: all of Istio's, and no others.
fn is_validated(header: &Header<'_>) -> bool {
    let group = header.group();
    group.ends_with(".istio.io") && group != "install.istio.io"
}
