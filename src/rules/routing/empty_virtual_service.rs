use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "empty-virtual-service",
    page: include_str!("../../../rules/empty-virtual-service.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        if virtual_service.header.patched || !virtual_service.lacks_routes {
            continue;
        }
        findings
            .add(
                virtual_service.header.name,
                format!("VirtualService `{}` has no routes", virtual_service.header.name),
            )
            .missing_at("spec.http")
            .help("istiod's webhook refuses it; give it routes in `http`, `tls` or `tcp`, or remove it");
    }
}
