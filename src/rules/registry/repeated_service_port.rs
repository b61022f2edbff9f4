use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "repeated-service-port",
    page: include_str!("../../../rules/repeated-service-port.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>() {
        let mut seen = FxHashMap::default();
        for number in entry.body.ports.iter().filter_map(|port| port.number) {
            if let Some(earlier) = seen.insert(number.value, number.span) {
                findings
                    .add(number, format!("port {number} is there twice"))
                    .related(earlier, "the other port")
                    .help("the API server refuses the entry; every port of it has its own number");
            }
        }
    }
}
