use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::Telemetry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "mismatched-tag-override",
    page: include_str!("../../../rules/mismatched-tag-override.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let metrics = mesh
        .all::<Telemetry<'_>>()
        .flat_map(|telemetry| &telemetry.body.metrics);
    let overrides = metrics.flat_map(|metrics| &metrics.overrides);
    for (tag, change) in overrides.flat_map(|change| &change.tag_overrides) {
        let operation = change.operation.as_ref().map_or("UPSERT", Text::as_str);
        let finding = match (operation, &change.value) {
            ("UPSERT", None) => findings.add(tag, format!("the tag `{tag}` is set to no value")),
            ("UPSERT", Some(value)) if value.is_empty() => {
                findings.add(value, format!("the tag `{tag}` is set to an empty value"))
            }
            ("REMOVE", Some(value)) => findings.add(value, format!("the tag `{tag}` is removed, but has a value")),
            _ => continue,
        };
        if let Some(operation) = &change.operation {
            finding.related(operation, "the operation");
        }
        finding.help("istiod's webhook refuses the Telemetry: UPSERT, the default, goes with a value, an expression such as `request.host`, and REMOVE with none");
    }
}
