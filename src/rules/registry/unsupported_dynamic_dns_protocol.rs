use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unsupported-dynamic-dns-protocol",
    page: include_str!("../../../rules/unsupported-dynamic-dns-protocol.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

/// Protocols that Istio knows and DYNAMIC_DNS does not take.
const OTHERS: [&str; 8] = [
    "HTTPS",
    "GRPC-WEB",
    "HTTP_PROXY",
    "TCP",
    "UDP",
    "MONGO",
    "REDIS",
    "MYSQL",
];

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh
        .all::<ServiceEntry<'_>>()
        .filter(|entry| resolution(entry) == Resolution::DynamicDns)
    {
        for port in &entry.body.ports {
            let finding = match port.protocol.filter(|protocol| !protocol.is_empty()) {
                None => findings
                    .add(port.span, "a port of DYNAMIC_DNS has no protocol")
                    .missing("protocol"),
                Some(protocol) if OTHERS.iter().any(|name| name.eq_ignore_ascii_case(&protocol)) => {
                    findings.add(protocol, format!("DYNAMIC_DNS does not take `{protocol}`"))
                }
                Some(_) => continue,
            };
            finding.help("istiod's webhook refuses the entry: the name to resolve comes from the request, so the protocol must be HTTP, HTTP2, GRPC or TLS");
        }
    }
}
