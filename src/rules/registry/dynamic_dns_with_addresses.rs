use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "dynamic-dns-with-addresses",
    page: include_str!("../../../rules/dynamic-dns-with-addresses.md"),
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
        let help = "istiod's webhook refuses the entry: DYNAMIC_DNS resolves the name of each request, so it takes neither `addresses` nor `endpoints`";
        if let Some(address) = entry.body.addresses.first() {
            findings.add(address, "DYNAMIC_DNS takes no addresses").help(help);
        }
        if let Some(endpoint) = entry.body.endpoints.first() {
            findings.add(endpoint.span, "DYNAMIC_DNS takes no endpoints").help(help);
        }
    }
}
