use super::is_validated;
use crate::findings::{Findings, Severity};
use crate::model::Resource;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "reserved-annotation",
    page: include_str!("../../../rules/reserved-annotation.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Resource(check),
};

const RESERVED: [&str; 3] = [
    "internal.istio.io/webhook-always-reject",
    "internal.istio.io/parent-namespace",
    "internal.istio.io/parents",
];

fn check(resource: &Resource<'_>, findings: &mut Findings) {
    let reserved = RESERVED.iter().filter_map(|key| resource.header.annotations.entry(key));
    for (key, _) in reserved.filter(|_| is_validated(&resource.header)) {
        findings
            .add(key, format!("`{key}` is reserved for Istio itself"))
            .help("istiod's webhook refuses the resource, whatever the annotation's value; remove it");
    }
}
