use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "endpoints-without-resolution",
    page: include_str!("../../../rules/endpoints-without-resolution.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>() {
        let Some(endpoints) = entry
            .body
            .endpoints_key
            .filter(|_| resolution(&entry) == Resolution::None)
        else {
            continue;
        };
        let finding = findings.add(endpoints, "there are endpoints, but the resolution is NONE");
        match &entry.body.resolution {
            Some(resolution) => finding.related(resolution, "the resolution"),
            None => finding,
        }
        .help("the API server refuses the entry: without resolution a connection goes where the client sent it; set `resolution: STATIC`, or `DNS` for endpoints with names");
    }
}
