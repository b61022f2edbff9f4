use crate::findings::{Findings, Severity};
use crate::mesh::{Lookup, Mesh};
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unmatched-subset",
    page: include_str!("../../../rules/unmatched-subset.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0173", "KIA0203"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh.all::<DestinationRule<'_>>() {
        for subset in &rule.body.subsets {
            let (Some(name), Some(host)) = (&subset.name, &rule.host) else {
                continue;
            };
            match mesh.subset_workloads(rule, subset) {
                Lookup::Found(()) => {}
                Lookup::Unknown if subset.labels.is_empty() => {}
                Lookup::Unknown => findings.undecided(name),
                Lookup::Absent { .. } => {
                    let at = subset
                        .labels
                        .spanned()
                        .first()
                        .map_or(name.span, |(_, value)| value.span);
                    findings
                        .add(at, format!("no pod of `{host}` has the labels of subset `{name}`"))
                        .related(name, "the subset")
                        .help("the subset has no endpoints, and requests to it get 503; compare with the labels of the pod templates");
                }
            }
        }
    }
}
