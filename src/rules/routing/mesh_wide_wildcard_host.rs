use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "mesh-wide-wildcard-host",
    page: include_str!("../../../rules/mesh-wide-wildcard-host.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        let all = virtual_service.hosts.iter().find(|host| host.as_str() == "*");
        let (Some(all), true) = (all, virtual_service.surely_in_mesh(virtual_service.header)) else {
            continue;
        };
        let finding = findings.add(
            all,
            "host `*` is for gateways only, and sidecars use this VirtualService too",
        );
        finding.help("istiod's webhook refuses it: it would take every request in the mesh; name the gateways that it is for, without `mesh`, or name the hosts");
        if let Some(mesh) = virtual_service
            .gateways
            .iter()
            .find(|gateway| gateway.as_str() == "mesh")
        {
            finding.related(mesh, "these are the sidecars");
        }
    }
}
