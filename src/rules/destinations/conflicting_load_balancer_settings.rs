use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{ConsistentHashLb, DestinationRule};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "conflicting-load-balancer-settings",
    page: include_str!("../../../rules/conflicting-load-balancer-settings.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for level in mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels())
    {
        let Some(load_balancer) = level.load_balancer else {
            continue;
        };
        if let (Some(locality), Some(zones)) =
            (&load_balancer.locality_lb_setting, &load_balancer.zone_aware_lb_setting)
        {
            findings
                .add(zones.span, "`zoneAwareLbSetting` excludes `localityLbSetting`")
                .related(locality.span, "the other setting")
                .help("istiod's webhook refuses the rule: both decide which endpoints are near; keep one");
        }
        if let Some(hash) = &load_balancer.consistent_hash {
            judge_hash(hash, findings);
        }
    }
}

fn judge_hash(hash: &ConsistentHashLb<'_>, findings: &mut Findings) {
    let Some(size) = hash.minimum_ring_size.filter(|size| size.value != 0) else {
        return;
    };
    let ring = hash.ring_hash.as_ref().map(|ring| ("ringHash", ring.span));
    let maglev = hash.maglev.as_ref().map(|maglev| ("maglev", maglev.span));
    if let Some((algorithm, place)) = ring.or(maglev) {
        findings
            .add(size, format!("`minimumRingSize` excludes `{algorithm}`"))
            .related(place, "the algorithm")
            .help("istiod's webhook refuses the rule: the size of a ring stands in `ringHash`, and `maglev` has none");
    }
}
