use super::resolution;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "address-range-with-dns",
    page: include_str!("../../../rules/address-range-with-dns.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh
        .all::<ServiceEntry<'_>>()
        .filter(|entry| resolution(entry).is_by_name())
    {
        for address in entry
            .body
            .addresses
            .iter()
            .filter(|address| address.contains('/') && !is_placeholder(address))
        {
            let finding = findings.add(address, format!("the range `{address}` cannot be resolved by name"));
            finding.help("the API server refuses the entry; ranges go with `resolution: NONE` and `STATIC`, names with single addresses");
        }
    }
}
