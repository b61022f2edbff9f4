use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "endpoints-with-selector",
    page: include_str!("../../../rules/endpoints-with-selector.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>() {
        if let (Some(selector), Some(endpoints)) = (&entry.body.workload_selector, entry.body.endpoints_key) {
            findings
                .add(endpoints, "`endpoints` and `workloadSelector` exclude each other")
                .related(selector.span, "the selector")
                .help(
                    "the API server refuses the entry, with an empty list as well; list the endpoints or select them",
                );
        }
    }
}
