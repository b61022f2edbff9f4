use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Lookup, Mesh};
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "undefined-subset",
    page: include_str!("../../../rules/undefined-subset.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0101", "KIA1107"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for destination in virtual_service.destinations() {
            let (Some(host), Some(subset)) = (&destination.host, &destination.subset) else {
                continue;
            };
            let rules =
                mesh.destination_rules(&mesh.host_name(host.as_str(), virtual_service.header.namespace.as_str()));
            let host_is_wrong =
                rules.is_empty() && matches!(mesh.host(host, virtual_service.header), Lookup::Absent { .. });
            if subset.is_empty() || host_is_wrong {
                continue;
            }
            let nearest = match mesh.subset(host, subset, virtual_service.header) {
                Lookup::Absent { nearest } => nearest,
                Lookup::Unknown => {
                    findings.undecided(subset);
                    continue;
                }
                Lookup::Found(()) => continue,
            };
            let fix = Fix::nearest(mesh.sources, subset.span, nearest.as_deref());
            let finding = findings.add(
                subset,
                format!("no DestinationRule defines subset `{subset}` of `{host}`"),
            );
            finding
                .help("Envoy has no cluster for the subset and answers these requests with 503")
                .fix(fix);
            for rule in rules {
                finding.related(rule.header.name, "the rule for this host has no such subset");
            }
        }
    }
}
