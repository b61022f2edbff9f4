use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "dynamic-dns-behind-waypoint",
    page: include_str!("../../../rules/dynamic-dns-behind-waypoint.md"),
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
        let inside = entry
            .body
            .location
            .filter(|location| location.as_str() == "MESH_INTERNAL");
        let waypoint = entry.header.labels.get("istio.io/use-waypoint");
        if let (Some(location), Some(waypoint)) = (inside, waypoint.filter(|name| is_used(name))) {
            findings
                .add(location, "a MESH_INTERNAL entry with DYNAMIC_DNS cannot use a waypoint")
                .related(waypoint, "the waypoint")
                .help("istiod's webhook refuses the entry; set `location: MESH_EXTERNAL`, or take the label away");
        }
    }
}

fn is_used(waypoint: &str) -> bool {
    !waypoint.is_empty() && !waypoint.eq_ignore_ascii_case("none") && !is_placeholder(waypoint)
}
