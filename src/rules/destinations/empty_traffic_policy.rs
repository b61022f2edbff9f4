use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "empty-traffic-policy",
    page: include_str!("../../../rules/empty-traffic-policy.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh.all::<DestinationRule<'_>>().filter(|rule| !rule.header.patched) {
        for policy in rule.body.traffic_policies() {
            if policy.is_empty {
                findings
                    .add(policy.span, "the traffic policy sets nothing")
                    .help("istiod's webhook refuses the rule; set something or leave `trafficPolicy` out");
            }
            for port in policy.port_level_settings.iter().filter(|port| port.is_empty) {
                findings
                    .add(port.span, "the settings of a port set nothing")
                    .help("istiod's webhook refuses the rule; a port takes `loadBalancer`, `connectionPool`, `outlierDetection` and `tls`");
            }
        }
    }
}
