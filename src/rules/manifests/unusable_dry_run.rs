use super::is_validated;
use crate::findings::{Findings, Severity};
use crate::model::istio::Action;
use crate::model::{Body, Resource};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unusable-dry-run",
    page: include_str!("../../../rules/unusable-dry-run.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Resource(check),
};

const DRY_RUN: &str = "istio.io/dry-run";

/// What Go reads as a boolean.
const BOOLEANS: [&str; 12] = [
    "1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False",
];

fn check(resource: &Resource<'_>, findings: &mut Findings) {
    let Some((key, value)) = resource.header.annotations.entry(DRY_RUN) else {
        return;
    };
    let kind = resource.header.kind;
    let Body::AuthorizationPolicy(policy) = &resource.body else {
        if is_validated(&resource.header) {
            findings
                .add(key, format!("a {kind} has no dry run"))
                .help("istiod's webhook refuses it; only an AuthorizationPolicy can be tried without effect");
        }
        return;
    };
    match policy.action() {
        Some(Action::Audit | Action::Custom) => {
            let finding = findings.add(key, "only ALLOW and DENY policies can be tried without effect");
            finding.help("istiod's webhook refuses the policy, whatever the annotation's value");
            if let Some(action) = &policy.action {
                finding.related(action, "the action");
            }
        }
        Some(Action::Allow | Action::Deny) if !BOOLEANS.contains(&value.as_str()) && !is_placeholder(value) => {
            findings
                .add(value, format!("`{value}` does not say whether this is a dry run"))
                .help("istiod's webhook refuses the policy; write `\"true\"` or `\"false\"`");
        }
        _ => {}
    }
}
