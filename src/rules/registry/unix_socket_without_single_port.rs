use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unix-socket-without-single-port",
    page: include_str!("../../../rules/unix-socket-without-single-port.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh
        .all::<ServiceEntry<'_>>()
        .filter(|entry| resolution(entry) == Resolution::Static)
    {
        let ports = entry.body.ports.len();
        let addresses = entry.body.endpoints.iter().filter_map(|endpoint| endpoint.address);
        for address in addresses.filter(|address| ports != 1 && address.starts_with("unix://")) {
            findings
                .add(address, format!("a socket serves one port, and the entry has {ports}"))
                .help("istiod's webhook refuses the entry; write an entry with a single port for the socket");
        }
    }
}
