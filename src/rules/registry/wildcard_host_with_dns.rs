use super::resolution;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "wildcard-host-with-dns",
    page: include_str!("../../../rules/wildcard-host-with-dns.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>().filter(|entry| !entry.header.patched) {
        let by_name = resolution(&entry).is_by_name();
        if !by_name || !entry.body.endpoints.is_empty() {
            continue;
        }
        for host in entry.body.hosts.iter().filter(|host| host.starts_with('*')) {
            findings
                .add(host, format!("`{host}` cannot be resolved: it is no single name"))
                .help("istiod's webhook refuses the entry; give `endpoints`, or set `resolution: NONE`, or `DYNAMIC_DNS` which resolves the name of each request");
        }
    }
}
