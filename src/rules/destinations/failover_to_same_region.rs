use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "failover-to-same-region",
    page: include_str!("../../../rules/failover-to-same-region.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let levels = mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels());
    for load_balancer in levels.filter_map(|level| level.load_balancer) {
        let locality = load_balancer
            .locality_lb_setting
            .iter()
            .flat_map(|setting| &setting.failover);
        let zones = load_balancer
            .zone_aware_lb_setting
            .iter()
            .flat_map(|setting| &setting.failover);
        let moves = locality
            .map(|failover| (failover.from, failover.to))
            .chain(zones.map(|failover| (failover.from, failover.to)));
        for (from, to) in moves.filter_map(|(from, to)| from.zip(to)) {
            if from.as_str() == to.as_str() && !is_placeholder(&to) {
                findings
                    .add(to, format!("region `{to}` fails over to itself"))
                    .related(from, "the region that fails")
                    .help("istiod's webhook refuses the rule; name another region, or leave the entry out");
            }
        }
    }
}
