use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "mixed-export",
    page: include_str!("../../../rules/mixed-export.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, entries) in mesh.export_lists() {
        let Some(sole) = entries.iter().find(|entry| matches!(entry.as_str(), "*" | "~")) else {
            continue;
        };
        let Some(other) = entries.iter().find(|entry| entry.as_str() != sole.as_str()) else {
            continue;
        };
        let meaning = if sole.as_str() == "*" { "all namespaces" } else { "none" };
        findings
            .add(
                sole,
                format!("`{sole}` in `exportTo` means {meaning}, and others stand beside it"),
            )
            .related(other, "the other entry")
            .help(format!(
                "istiod's webhook refuses the resource; keep `{sole}` alone, or drop it"
            ));
    }
}
