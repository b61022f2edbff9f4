//! `AuthorizationPolicy`s.

mod action_without_rules;
mod condition_without_values;
mod custom_action_without_provider;
mod deny_without_ports;
mod empty_operation;
mod empty_source;
mod http_attribute_on_tcp_port;
mod identity_in_custom_action;
mod malformed_condition_value;
mod provider_without_custom_action;
mod service_accounts_with_principals;
mod unknown_condition_key;

use super::Rule;

pub const RULES: &[Rule] = &[
    action_without_rules::RULE,
    condition_without_values::RULE,
    custom_action_without_provider::RULE,
    deny_without_ports::RULE,
    empty_operation::RULE,
    empty_source::RULE,
    http_attribute_on_tcp_port::RULE,
    identity_in_custom_action::RULE,
    malformed_condition_value::RULE,
    provider_without_custom_action::RULE,
    service_accounts_with_principals::RULE,
    unknown_condition_key::RULE,
];
