use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{DestinationRule, LocalityLoadBalancerSetting, PolicyLevel, ZoneAwareLoadBalancerSetting};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "failover-without-outlier-detection",
    page: include_str!("../../../rules/failover-without-outlier-detection.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh.all::<DestinationRule<'_>>().filter(|rule| !rule.header.patched) {
        let host = rule.body.traffic_policy.as_deref();
        let inherited = host.is_some_and(|policy| policy.outlier_detection.is_some());
        for policy in rule.body.traffic_policies() {
            if !inherited {
                judge(policy.level(), findings);
            }
            policy.port_levels().for_each(|level| judge(level, findings));
        }
    }
}

fn judge(level: PolicyLevel<'_, '_>, findings: &mut Findings) {
    let Some(load_balancer) = level.load_balancer.filter(|_| level.outlier_detection.is_none()) else {
        return;
    };
    let locality = load_balancer.locality_lb_setting.as_deref().and_then(locality_failover);
    let zones = load_balancer.zone_aware_lb_setting.as_deref().and_then(zone_failover);
    for failover in locality.into_iter().chain(zones) {
        findings
            .add(failover, "failover has no `outlierDetection` that would start it")
            .help("the rule is accepted with a warning, and traffic stays where it is when endpoints fail; set `outlierDetection` beside `loadBalancer`");
    }
}

fn locality_failover(setting: &LocalityLoadBalancerSetting<'_>) -> Option<Span> {
    let failover = setting.failover.first().map(|failover| failover.span);
    failover.or(setting.failover_priority.first().map(|label| label.span))
}

fn zone_failover(setting: &ZoneAwareLoadBalancerSetting<'_>) -> Option<Span> {
    let failover = setting.failover.first().map(|failover| failover.span);
    failover.or(setting.failover_priority.first().map(|label| label.span))
}
