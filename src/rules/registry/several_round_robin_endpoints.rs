use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "several-round-robin-endpoints",
    page: include_str!("../../../rules/several-round-robin-endpoints.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh
        .all::<ServiceEntry<'_>>()
        .filter(|entry| resolution(entry) == Resolution::DnsRoundRobin)
    {
        let mut endpoints = entry.body.endpoints.iter();
        if let (Some(first), Some(second)) = (endpoints.next(), endpoints.next()) {
            findings
                .add(second.span, "DNS_ROUND_ROBIN takes a single endpoint")
                .related(first.span, "the first one")
                .help("the API server refuses the entry; leave one endpoint, or set `resolution: DNS`");
        }
    }
}
