use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{ServiceEntry, WorkloadEntry, WorkloadGroup};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unix-socket-with-ports",
    page: include_str!("../../../rules/unix-socket-with-ports.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let entries = mesh.all::<WorkloadEntry<'_>>().map(|entry| entry.body);
    let templates = mesh
        .all::<WorkloadGroup<'_>>()
        .filter_map(|group| group.body.template.as_deref());
    let endpoints = mesh.all::<ServiceEntry<'_>>().flat_map(|entry| &entry.body.endpoints);
    for workload in entries.chain(templates).chain(endpoints) {
        let socket = workload.address.filter(|address| address.starts_with("unix://"));
        if let (Some(socket), Some(ports)) = (socket, &workload.ports) {
            findings
                .add(ports, format!("the socket `{socket}` has no ports"))
                .related(socket, "the address")
                .help("the API server refuses it; leave `ports` out");
        }
    }
}
