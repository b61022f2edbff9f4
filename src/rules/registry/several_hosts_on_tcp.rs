use super::resolution;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{ServiceEntry, ServicePort};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "several-hosts-on-tcp",
    page: include_str!("../../../rules/several-hosts-on-tcp.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

/// Protocols that do not say which host a connection is for.
const WITHOUT_HOST: [&str; 5] = ["TCP", "UDP", "MONGO", "REDIS", "MYSQL"];

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh
        .all::<ServiceEntry<'_>>()
        .filter(|entry| resolution(entry).is_resolved())
    {
        let Some(second) = entry.body.hosts.get(1) else {
            continue;
        };
        if let Some(port) = entry.body.ports.iter().find(|port| has_no_host(port)) {
            findings
                .add(second, format!("`{second}` cannot be told from the entry's first host on a TCP port"))
                .related(port.protocol.map_or(port.span, |protocol| protocol.span), "the port")
                .help("istiod's webhook refuses the entry: only HTTP and TLS say which host is meant; write an entry for each host");
        }
    }
}

fn has_no_host(port: &ServicePort<'_>) -> bool {
    port.protocol.is_none_or(|protocol| {
        protocol.is_empty() || WITHOUT_HOST.iter().any(|name| name.eq_ignore_ascii_case(&protocol))
    })
}
