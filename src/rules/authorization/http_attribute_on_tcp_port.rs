use std::collections::BTreeMap;

use crate::envoy::World;
use crate::envoy::fleet::Fleet;
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::policies::Target;
use crate::findings::{Finding, Findings, Severity};
use crate::mesh::{Object, Protocol};
use crate::model::istio::{Action, AuthorizationPolicy, Rule as PolicyRule};
use crate::model::{Slot, Text};
use crate::rules::{Check, Fixes, Limits, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "http-attribute-on-tcp-port",
    page: include_str!("../../../rules/http-attribute-on-tcp-port.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Proxy(check),
};

type Policy<'m, 'a> = Object<'m, 'a, AuthorizationPolicy<'a>>;

/// Ports of a pod that carry no HTTP, with the Services that say so.
type TcpPorts = BTreeMap<u32, Span>;

fn check(fleet: &Fleet<'_, '_, '_>, _: &Limits, findings: &mut Findings) {
    let world = fleet.world;
    let mut said = Said::default();
    for pod in world.proxies().filter(|pod| pod.role == Some(Role::Sidecar)) {
        let target = Target::of(pod);
        let attached = world.policies.authorization.of_target(world, &target);
        let policies: Vec<_> = attached
            .map(|attached| attached.object)
            .filter(|policy| is_enforced(*policy))
            .collect();
        let with_http = |policy: &Policy<'_, '_>| policy.body.rules.iter().any(|rule| rule.http_attribute().is_some());
        if !policies.iter().any(with_http) {
            continue;
        }
        let ports = tcp_ports(world, pod);
        if ports.is_empty() {
            continue;
        }
        for policy in &policies {
            judge_named(*policy, pod, &ports, &mut said, findings);
        }
        judge_closed(world, &policies, pod, &ports, &mut said, findings);
    }
}

/// Places that were spoken of already, for another pod.
type Said = std::collections::BTreeSet<Span>;

fn is_enforced(policy: Policy<'_, '_>) -> bool {
    !policy.header.annotations.has("istio.io/dry-run", "true") && !policy.header.patched
}

fn tcp_ports<'m, 'a>(world: &World<'m, 'a>, pod: &PodGroup<'m, 'a>) -> TcpPorts {
    let mut ports = TcpPorts::new();
    let targets = world.backends.targets(world, pod);
    let is_tcp = |protocol: Protocol| !protocol.is_http() && !matches!(protocol, Protocol::Auto | Protocol::Udp);
    for target in targets.iter().filter(|target| is_tcp(target.port.protocol)) {
        let mut others = targets.iter().filter(|other| other.number == target.number);
        if others.all(|other| is_tcp(other.port.protocol)) {
            let service = &world.registry.services[target.service];
            ports.entry(target.number).or_insert(service.header.name.span);
        }
    }
    ports
}

/// Rules that use HTTP attributes and name a port that carries none.
fn judge_named(
    policy: Policy<'_, '_>,
    pod: &PodGroup<'_, '_>,
    ports: &TcpPorts,
    said: &mut Said,
    findings: &mut Findings,
) {
    let denies = match policy.body.action() {
        Some(Action::Allow) => false,
        Some(Action::Deny) => true,
        _ => return,
    };
    for rule in &policy.body.rules {
        for (port, attribute) in named_ports(rule, denies) {
            let number = port.parse().ok().filter(|number| ports.contains_key(number));
            let Some(number) = number.filter(|_| said.insert(port.span)) else {
                continue;
            };
            let finding = if denies {
                findings.add(
                    port,
                    format!(
                        "port {number} of `{}` carries TCP, and this rule denies every connection to it",
                        pod.name
                    ),
                )
            } else {
                findings.add(
                    port,
                    format!(
                        "port {number} of `{}` carries TCP, where this rule allows nothing",
                        pod.name
                    ),
                )
            };
            if denies {
                finding.severity(Severity::Error);
                finding.help("a TCP connection has no HTTP attributes: they are left out, and the rest of the rule denies; take the port out, or mend the protocol of the Service's port");
            } else {
                finding.help("a TCP connection has no HTTP attributes: an ALLOW rule with one is left out as a whole; write a rule of its own for the port, or mend the protocol of the Service's port");
            }
            explain(finding, attribute, number, ports);
        }
    }
}

/// The ports that a rule names, each with the HTTP attribute that stands beside it. In ALLOW one attribute spoils the whole
/// rule, in DENY an operation only if it is in that operation, or in no operation at all.
fn named_ports<'p, 'a>(rule: &'p PolicyRule<'a>, denies: bool) -> Vec<(&'p Text<'a>, &'p Text<'a>)> {
    let everywhere = if denies {
        rule.http_attribute_elsewhere()
    } else {
        rule.http_attribute()
    };
    let operations = rule.to.iter().filter_map(|to| to.operation.as_ref());
    let of_operations = operations.flat_map(|operation| {
        let attribute = operation.http_attribute().or(everywhere);
        operation.ports.iter().filter_map(move |port| Some((port, attribute?)))
    });
    let whole = rule.http_attribute();
    of_operations
        .chain(rule.conditioned_ports().filter_map(|port| Some((port, whole?))))
        .collect()
}

/// Ports that no ALLOW rule can open, though there are rules for the pod.
fn judge_closed<'m, 'a>(
    world: &World<'m, 'a>,
    policies: &[Policy<'m, 'a>],
    pod: &PodGroup<'m, 'a>,
    ports: &TcpPorts,
    said: &mut Said,
    findings: &mut Findings,
) {
    let owned = world.mesh.owns(
        Slot::AuthorizationPolicy,
        pod.namespace,
        world.mesh.header(pod.resource),
    );
    let allowing: Vec<_> = policies
        .iter()
        .filter(|policy| policy.body.action() == Some(Action::Allow))
        .collect();
    let mut rules = allowing.iter().flat_map(|policy| &policy.body.rules);
    let Some((number, _)) = ports.first_key_value() else {
        return;
    };
    if !owned || rules.any(|rule| rule.http_attribute().is_none()) {
        return;
    }
    for policy in allowing {
        let mut unnamed = policy
            .body
            .rules
            .iter()
            .filter(|rule| named_ports(rule, false).is_empty());
        let attribute = unnamed.find_map(PolicyRule::http_attribute);
        if let Some(attribute) = attribute.filter(|attribute| said.insert(attribute.span)) {
            let message = format!(
                "port {number} of `{}` carries TCP, and no ALLOW rule can match there",
                pod.name
            );
            let finding = findings.add(attribute, message);
            finding.help("every connection to the port is refused, as all ALLOW rules for this workload use HTTP attributes; add a rule with the port and without them");
            explain(finding, attribute, *number, ports);
        }
    }
}

fn explain(finding: &mut Finding, attribute: &Text<'_>, port: u32, ports: &TcpPorts) {
    if finding.span != attribute.span {
        finding.related(attribute, "a TCP connection has no such attribute");
    }
    if let Some(service) = ports.get(&port) {
        finding.related(*service, "this Service says what the port carries");
    }
}
