use crate::findings::{Findings, Severity};
use crate::model::{Body, Resource};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "missing-rule-host",
    page: include_str!("../../../rules/missing-rule-host.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Resource(check),
};

fn check(resource: &Resource<'_>, findings: &mut Findings) {
    let Body::DestinationRule(rule) = &resource.body else {
        return;
    };
    let fault = match &rule.host {
        None => findings
            .add(
                resource.header.name,
                format!("DestinationRule `{}` names no host", resource.header.name),
            )
            .missing_at("spec.host"),
        Some(host) if host.is_empty() => findings.add(host, "the host is empty"),
        Some(_) => return,
    };
    fault.help("the API server refuses the rule; name the Service or the ServiceEntry host that it is for");
}
