use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Lookup, Mesh};
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unknown-gateway",
    page: include_str!("../../../rules/unknown-gateway.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0101", "KIA1102"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for gateway in virtual_service
            .gateways
            .iter()
            .filter(|gateway| gateway.as_str() != "mesh")
        {
            let nearest = match mesh.gateway(gateway, virtual_service.header) {
                Lookup::Absent { nearest } => nearest,
                Lookup::Unknown => {
                    findings.undecided(gateway);
                    continue;
                }
                Lookup::Found(_) => continue,
            };
            let fix = Fix::nearest(mesh.sources, gateway.span, nearest.as_deref());
            findings
                .add(gateway, format!("there is no Gateway `{gateway}`"))
                .help("its proxies never get these routes; a Gateway of another namespace is written `namespace/name`")
                .fix(fix);
        }
    }
}
