use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::EnvoyFilter;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "patch-without-value",
    page: include_str!("../../../rules/patch-without-value.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let filters = mesh.all::<EnvoyFilter<'_>>().filter(|filter| !filter.header.patched);
    for patch in filters.flat_map(|filter| filter.body.judged()) {
        let Some(change) = patch.patch.as_ref().filter(|change| change.value.is_none()) else {
            continue;
        };
        let operation = change.operation.as_ref();
        if let Some(operation) = operation.filter(|operation| needs_value(operation)) {
            findings
                .add(change.span, format!("this patch has no value to {operation}"))
                .missing("value")
                .related(operation, "the operation")
                .help("istiod's webhook refuses the EnvoyFilter: only REMOVE goes without a value");
        }
    }
}

fn needs_value(operation: &str) -> bool {
    !matches!(operation, "REMOVE" | "INVALID") && !is_placeholder(operation)
}
