use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "selector-without-resolution",
    page: include_str!("../../../rules/selector-without-resolution.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>() {
        let Some(selector) = &entry.body.workload_selector else {
            continue;
        };
        if resolution(&entry) == Resolution::None {
            findings
                .add(selector.span, "workloads are selected, but the resolution is NONE")
                .help("the entry is accepted with a warning, and the selected workloads get no traffic: a connection goes where the client sent it; set `resolution: STATIC`");
        }
    }
}
