use super::resolution;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "several-hosts-on-one-address",
    page: include_str!("../../../rules/several-hosts-on-one-address.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>() {
        let by_name = resolution(&entry).is_by_name();
        let tls = entry.body.ports.iter().filter_map(|port| port.protocol).find(is_tls);
        if let (true, Some(address), Some(second), Some(protocol)) =
            (by_name, entry.body.addresses.first(), entry.body.hosts.get(1), tls)
        {
            findings
                .add(second, format!("`{second}` shares the address `{address}` with the entry's first host"))
                .related(protocol, "a port that is told by its address")
                .help("the entry is accepted with a warning: all its hosts get one listener at that address, so connections may end at the endpoints of another one; write an entry with its own address for each host");
        }
    }
}

fn is_tls(protocol: &Text<'_>) -> bool {
    ["HTTPS", "TLS"].iter().any(|name| name.eq_ignore_ascii_case(protocol))
}
