use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Telemetry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "nameless-tag",
    page: include_str!("../../../rules/nameless-tag.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let metrics = mesh
        .all::<Telemetry<'_>>()
        .flat_map(|telemetry| &telemetry.body.metrics);
    let overrides = metrics.flat_map(|metrics| &metrics.overrides);
    for (tag, _) in overrides.flat_map(|change| &change.tag_overrides) {
        if tag.is_empty() {
            findings
                .add(tag, "this tag has no name")
                .help("the webhook lets it pass with a warning, and no metric gets the tag; give it a name");
        }
    }
}
