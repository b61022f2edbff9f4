use crate::findings::Severity;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unknown-rule",
    page: include_str!("../../../rules/unknown-rule.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Run,
};
