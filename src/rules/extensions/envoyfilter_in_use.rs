use crate::findings::{Findings, Severity};
use crate::model::{Body, Resource};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "envoyfilter-in-use",
    page: include_str!("../../../rules/envoyfilter-in-use.md"),
    severity: Severity::Note,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Resource(check),
};

fn check(resource: &Resource<'_>, findings: &mut Findings) {
    if matches!(resource.body, Body::EnvoyFilter(_)) {
        findings
            .add(resource.header.kind, format!("EnvoyFilter `{}` depends on Envoy's internals", resource.header.name))
            .help("it is not checked against the proxy it patches and may stop working with any upgrade; prefer Istio's own API where there is one");
    }
}
