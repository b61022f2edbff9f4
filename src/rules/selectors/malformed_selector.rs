use super::targets;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-selector",
    page: include_str!("../../../rules/malformed-selector.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for selector in targets(mesh).filter_map(|(_, targets)| targets.selector) {
        for (key, value) in selector.labels.spanned() {
            if !is_placeholder(key) && !is_placeholder(value) {
                judge(selector.field, key, value, findings);
            }
        }
    }
}

fn judge(field: &str, key: &Text<'_>, value: &Text<'_>, findings: &mut Findings) {
    if key.is_empty() {
        findings
            .add(value, format!("a label of `{field}` has no name"))
            .help("the API server or istiod's webhook refuses it; a label is `name: value`");
    }
    for part in [key, value].into_iter().filter(|part| part.contains('*')) {
        findings
            .add(part, format!("`{part}` in `{field}` is compared as it stands: there are no wildcards"))
            .help("the API server or istiod's webhook refuses it; name the label's exact value, or give a label of its own to all the pods that are meant");
    }
}
