use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::values::address;

pub const RULE: Rule = Rule {
    id: "ip-sni-host",
    page: include_str!("../../../rules/ip-sni-host.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        let names = virtual_service
            .tls
            .iter()
            .flat_map(|route| &route.matches)
            .flat_map(|entry| &entry.sni_hosts);
        for name in names.filter(|name| address::parse(name).is_some()) {
            findings
                .add(name, format!("`{name}` is an IP address, and clients send none as SNI"))
                .help("istiod's webhook warns and accepts it: the match fits no connection; match by `destinationSubnets`, or name the host");
        }
    }
}
