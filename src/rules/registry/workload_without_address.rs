use super::{Resolution, is_empty, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{ServiceEntry, WorkloadEntry};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "workload-without-address",
    page: include_str!("../../../rules/workload-without-address.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for workload in mesh.all::<WorkloadEntry<'_>>().filter(|entry| !entry.header.patched) {
        if is_empty(workload.body.address.as_ref()) && is_empty(workload.body.network.as_ref()) {
            report(
                workload.body,
                "set `address`, or `network` where only its gateway is known",
                findings,
            );
        }
    }
    for entry in mesh.all::<ServiceEntry<'_>>().filter(|entry| !entry.header.patched) {
        let resolution = resolution(&entry);
        for endpoint in entry
            .body
            .endpoints
            .iter()
            .filter(|endpoint| is_empty(endpoint.address.as_ref()))
        {
            if resolution.is_by_name() {
                report(endpoint, "set `address` to the name to resolve", findings);
            } else if resolution == Resolution::Static && is_empty(endpoint.network.as_ref()) {
                report(
                    endpoint,
                    "set `address`, or `network` where only its gateway is known",
                    findings,
                );
            }
        }
    }
}

fn report(workload: &WorkloadEntry<'_>, remedy: &str, findings: &mut Findings) {
    findings
        .add(workload.span, "the workload has no address")
        .missing("address")
        .help(format!("the API server or istiod's webhook refuses it; {remedy}"));
}
