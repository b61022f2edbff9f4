use crate::findings::{Findings, Severity};
use crate::mesh::{Lookup, Mesh};
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unknown-destination-port",
    page: include_str!("../../../rules/unknown-destination-port.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0101"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for destination in virtual_service.destinations() {
            let number = destination.port.as_ref().and_then(|port| port.number);
            let (Some(host), Some(number)) = (&destination.host, number) else {
                continue;
            };
            let Lookup::Found(defined) = mesh.host(host, virtual_service.header) else {
                continue;
            };
            if !matches!(mesh.port(&defined, *number), Lookup::Absent { .. }) {
                continue;
            }
            let ports = mesh.ports_of(&defined);
            let known: Vec<_> = ports.iter().map(ToString::to_string).collect();
            findings
                .add(number, format!("`{host}` has no port {number}"))
                .related(mesh.header(defined.providers[0].id()).name, format!("it has {}", known.join(", ")))
                .help("Envoy has no cluster for this port and answers these requests with 503; name a port of the Service, not of its pods");
        }
    }
}
