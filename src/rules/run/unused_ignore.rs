use crate::findings::Severity;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unused-ignore",
    page: include_str!("../../../rules/unused-ignore.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Run,
};
