//! `AuthorizationPolicy`s.

mod action_without_rules;
mod condition_without_values;
mod custom_action_without_provider;
mod deny_without_ports;
mod empty_operation;
mod empty_source;
mod identity_in_custom_action;
mod malformed_condition_value;
mod malformed_operation_port;
mod malformed_path_template;
mod malformed_source_identity;
mod provider_without_custom_action;
mod service_accounts_with_principals;
mod unknown_condition_key;

use super::Rule;
use crate::findings::Findings;
use crate::model::Text;
use crate::values::policy::Form;
use crate::yaml::is_placeholder;

pub const RULES: &[Rule] = &[
    action_without_rules::RULE,
    condition_without_values::RULE,
    custom_action_without_provider::RULE,
    deny_without_ports::RULE,
    empty_operation::RULE,
    empty_source::RULE,
    identity_in_custom_action::RULE,
    malformed_condition_value::RULE,
    malformed_operation_port::RULE,
    malformed_path_template::RULE,
    malformed_source_identity::RULE,
    provider_without_custom_action::RULE,
    service_accounts_with_principals::RULE,
    unknown_condition_key::RULE,
];

/// Reports the entries of a list that have another form than they must. Empty ones are the matter of the schema.
fn judge(entries: &[Text<'_>], form: Form, noun: &str, findings: &mut Findings) {
    for entry in entries
        .iter()
        .filter(|entry| !entry.is_empty() && !is_placeholder(entry))
    {
        if let Some(fault) = form.fault(entry) {
            findings
                .add(entry, format!("`{entry}` is no {noun}"))
                .help(format!("istiod's webhook refuses the policy: {fault}"));
        }
    }
}
