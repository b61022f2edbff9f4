use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "dynamic-dns-host-without-wildcard",
    page: include_str!("../../../rules/dynamic-dns-host-without-wildcard.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh
        .all::<ServiceEntry<'_>>()
        .filter(|entry| resolution(entry) == Resolution::DynamicDns)
    {
        let single = |host: &&Text<'_>| !host.is_empty() && !host.starts_with('*') && !is_placeholder(host);
        for host in entry.body.hosts.iter().filter(single) {
            findings
                .add(
                    host,
                    format!("DYNAMIC_DNS needs a wildcard, and `{host}` is a single name"),
                )
                .help("istiod's webhook refuses the entry; set `resolution: DNS` for a single name");
        }
    }
}
