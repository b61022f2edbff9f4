use crate::findings::{Finding, Findings, Severity};
use crate::mesh::{Mesh, Object};
use crate::model::Text;
use crate::model::istio::{AuthorizationPolicy, Rule as PolicyRule};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "deny-without-ports",
    page: include_str!("../../../rules/deny-without-ports.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for policy in mesh.all::<AuthorizationPolicy<'_>>() {
        let denies = policy.action.as_ref().is_some_and(|action| action.as_str() == "DENY");
        let dry_run = policy.header.annotations.has("istio.io/dry-run", "true");
        if denies && !dry_run && !is_http_only(mesh, policy) {
            policy.rules.iter().for_each(|rule| judge(rule, findings));
        }
    }
}

/// Waypoints and Gateways, whether they take the policy by reference or by their labels, hardly carry anything but HTTP.
fn is_http_only<'a>(mesh: &Mesh<'a>, policy: Object<'_, 'a, AuthorizationPolicy<'a>>) -> bool {
    let attached = policy.body.target_ref.is_some() || !policy.body.target_refs.is_empty();
    let namespace = policy.header.namespace.as_str();
    let place = (namespace != mesh.settings.root_namespace).then_some(namespace);
    attached
        || policy
            .body
            .selector
            .as_ref()
            .is_some_and(|selector| mesh.selects_gateways(&selector.match_labels, place))
}

/// A rule of several operations is one of each: those without ports reach TCP.
fn judge(rule: &PolicyRule<'_>, findings: &mut Findings) {
    let elsewhere = rule.http_attribute_elsewhere();
    let port_condition = rule
        .when
        .iter()
        .any(|condition| condition.key.is_some_and(|key| key.as_str() == "destination.port"));
    if port_condition {
        return;
    }
    let operations: Vec<_> = rule.to.iter().filter_map(|to| to.operation.as_ref()).collect();
    for operation in operations
        .iter()
        .filter(|operation| operation.ports.is_empty() && operation.not_ports.is_empty())
    {
        if let Some(attribute) = operation.http_attribute().or(elsewhere) {
            let finding = findings.add(operation.span, "this DENY uses HTTP attributes and names no port");
            explain(finding.missing("ports"), attribute);
        }
    }
    if let (true, Some(attribute)) = (operations.is_empty(), elsewhere) {
        let finding = findings.add(attribute, "this DENY uses an HTTP attribute and names no port");
        explain(finding, attribute);
    }
}

fn explain(finding: &mut Finding, attribute: &Text<'_>) {
    finding
        .related(attribute, "a TCP connection has no such attribute")
        .help("on ports that are not HTTP the attribute is left out and the rest denies: every connection is closed; name the HTTP ports in `operation.ports`");
}
