use crate::findings::Severity;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "internal-error",
    page: include_str!("../../../rules/internal-error.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Run,
};
