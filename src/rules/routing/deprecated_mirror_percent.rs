use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "deprecated-mirror-percent",
    page: include_str!("../../../rules/deprecated-mirror-percent.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let routes = mesh
        .all::<VirtualService<'_>>()
        .flat_map(|virtual_service| &virtual_service.body.http);
    for route in routes {
        let Some(percent) = route.mirror_percent.or(route.mirror_percent_in_snake_case) else {
            continue;
        };
        let finding = findings.add(percent, "`mirrorPercent` is deprecated");
        match &route.mirror_percentage {
            Some(newer) => finding.related(newer.span, "this share is used").help(
                "istiod's webhook warns and accepts it; `mirrorPercentage` is used instead of it: drop `mirrorPercent`",
            ),
            None => finding.help(format!(
                "istiod's webhook warns and accepts it; write `mirrorPercentage: {{value: {percent}}}`"
            )),
        };
    }
}
