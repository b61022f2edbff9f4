use super::{Resolution, is_empty, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{ServiceEntry, WorkloadEntry};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "network-without-address",
    page: include_str!("../../../rules/network-without-address.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let entries = mesh
        .all::<WorkloadEntry<'_>>()
        .filter(|entry| !entry.header.patched)
        .map(|entry| entry.body);
    let endpoints = mesh
        .all::<ServiceEntry<'_>>()
        .filter(|entry| !entry.header.patched && resolution(entry) == Resolution::Static)
        .flat_map(|entry| &entry.body.endpoints);
    for workload in entries
        .chain(endpoints)
        .filter(|workload| is_empty(workload.address.as_ref()))
    {
        if let Some(network) = workload.network.filter(|network| !network.is_empty()) {
            findings
                .add(network, format!("the workload has a network, `{network}`, and no address"))
                .help("it is accepted with a warning: traffic goes to the gateway of that network, so it is lost where the network has none; set `address` if the workload can be reached");
        }
    }
}
