//! Texts and structures: what the API server would refuse or drop.

mod broken_condition;
mod conflicting_fields;
mod duplicate_key;
mod duplicate_resource;
mod malformed_address;
mod malformed_duration;
mod malformed_expression;
mod malformed_header_name;
mod malformed_header_value;
mod malformed_host;
mod malformed_identity;
mod malformed_label;
mod malformed_name;
mod malformed_path;
mod malformed_regex;
mod malformed_text;
mod malformed_url;
mod missing_field;
mod mistyped_field;
mod null_value;
mod number_out_of_range;
mod port_out_of_range;
mod repeated_entry;
mod reserved_annotation;
mod syntax_error;
mod too_new_for_version;
mod unevaluated_condition;
mod unknown_field;
mod unknown_kind;
mod unknown_value;
mod unknown_version;
mod unsupported_field;
mod unusable_dry_run;
mod wrong_count;
mod wrong_length;

use super::Rule;
use crate::findings::Findings;
use crate::mesh::Mesh;
use crate::model::Header;
use crate::schema::{Form, Refuser, ViolationKind};

pub const RULES: &[Rule] = &[
    broken_condition::RULE,
    conflicting_fields::RULE,
    duplicate_key::RULE,
    duplicate_resource::RULE,
    malformed_address::RULE,
    malformed_duration::RULE,
    malformed_expression::RULE,
    malformed_header_name::RULE,
    malformed_header_value::RULE,
    malformed_host::RULE,
    malformed_identity::RULE,
    malformed_label::RULE,
    malformed_name::RULE,
    malformed_path::RULE,
    malformed_regex::RULE,
    malformed_text::RULE,
    malformed_url::RULE,
    missing_field::RULE,
    mistyped_field::RULE,
    null_value::RULE,
    number_out_of_range::RULE,
    port_out_of_range::RULE,
    repeated_entry::RULE,
    reserved_annotation::RULE,
    syntax_error::RULE,
    too_new_for_version::RULE,
    unevaluated_condition::RULE,
    unknown_field::RULE,
    unknown_kind::RULE,
    unknown_value::RULE,
    unknown_version::RULE,
    unsupported_field::RULE,
    unusable_dry_run::RULE,
    wrong_count::RULE,
    wrong_length::RULE,
];

/// Whether istiod's validating webhook looks at resources of this kind: all of Istio's, and no others.
fn is_validated(header: &Header<'_>) -> bool {
    let group = header.group();
    group.ends_with(".istio.io") && group != "install.istio.io"
}

/// Values that do not have a form.
fn malformed(mesh: &Mesh<'_>, findings: &mut Findings, wanted: Form, noun: &str) {
    for violation in &mesh.violations {
        if let ViolationKind::Malformed {
            field,
            value,
            form,
            reason,
            refuser,
        } = &violation.kind
            && *form == wanted
        {
            let shown = if value.is_empty() { field } else { value };
            let message = format!("`{}` is no {noun}: {reason}", shortened(shown));
            findings.add(violation.span, message).help(refused_by(*refuser));
        }
    }
}

/// A value as far as a message can hold it.
fn shortened(value: &str) -> String {
    const MOST: usize = 60;
    match value.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

/// Who refuses what is wrong, as a help text.
fn refused_by(refuser: Refuser) -> &'static str {
    match refuser {
        Refuser::ApiServer => "the API server refuses the resource",
        Refuser::Crd => "the API server refuses the resource, as the schema of its CRD says",
        Refuser::Webhook => "the API server would take it, istiod's validating webhook refuses the resource",
        Refuser::Istiod => "istiod does not take the mesh configuration and keeps the one before",
    }
}
