use crate::findings::{Findings, Severity};
use crate::mesh::{GatewayRef, Lookup, Mesh, Object};
use crate::model::Text;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unserved-host",
    page: include_str!("../../../rules/unserved-host.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0132"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        let named: Vec<_> = virtual_service
            .gateways
            .iter()
            .filter(|gateway| gateway.as_str() != "mesh")
            .collect();
        let found: Vec<_> = named
            .iter()
            .filter_map(|gateway| Some((**gateway, gateway_of(mesh, gateway, virtual_service)?)))
            .collect();
        let hosts: Vec<_> = virtual_service
            .hosts
            .iter()
            .filter(|host| !is_placeholder(host.as_str()))
            .collect();
        if hosts.len() < virtual_service.hosts.len() || hosts.is_empty() {
            continue;
        }
        let served = |gateway: GatewayRef, host: &Text<'_>| mesh.serves(gateway, host.as_str(), virtual_service);
        for (written, gateway) in found
            .iter()
            .filter(|(_, gateway)| !hosts.iter().any(|host| served(*gateway, host)))
        {
            let message = format!("gateway `{written}` serves no host of this VirtualService");
            findings
                .add(*written, message)
                .related(place(mesh, *gateway), "the Gateway")
                .help(HELP);
        }
        if virtual_service.in_mesh()
            || found.len() < named.len()
            || !hosts
                .iter()
                .any(|host| found.iter().any(|(_, gateway)| served(*gateway, host)))
        {
            continue;
        }
        for host in hosts
            .iter()
            .filter(|host| !found.iter().any(|(_, gateway)| served(*gateway, host)))
        {
            let finding = findings.add(*host, format!("no gateway of this VirtualService serves `{host}`"));
            finding.help(HELP);
            for (_, gateway) in &found {
                finding.related(place(mesh, *gateway), "its servers have other hosts");
            }
        }
    }
}

const HELP: &str =
    "the routes are never used there: requests get 404; add the host to a server of the Gateway, or mend the name";

fn gateway_of<'a>(
    mesh: &Mesh<'a>,
    reference: &Text<'_>,
    virtual_service: Object<'_, 'a, VirtualService<'a>>,
) -> Option<GatewayRef> {
    match mesh.gateway(reference, virtual_service.header) {
        Lookup::Found(gateway) => Some(gateway),
        _ => None,
    }
}

fn place(mesh: &Mesh<'_>, gateway: GatewayRef) -> Span {
    mesh.header(gateway.id()).name.span
}
