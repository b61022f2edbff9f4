use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unusable-internal-host",
    page: include_str!("../../../rules/unusable-internal-host.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        let matches = virtual_service.tls.iter().flat_map(|route| &route.matches);
        let names = matches.flat_map(|entry| &entry.sni_hosts);
        let sidecars = virtual_service.surely_in_mesh(virtual_service.header);
        let routes_tls =
            names.clone().next().is_some() || virtual_service.placeholders || virtual_service.header.patched;
        let internal = virtual_service
            .hosts
            .iter()
            .chain(names)
            .filter(|host| host.starts_with("outbound_") && !is_placeholder(host));
        for host in internal {
            let help = if sidecars {
                "only gateways know such names; name the gateways that it is for, without `mesh`"
            } else if !routes_tls {
                "only TLS routes by `sniHosts` know such names"
            } else if !is_sound(host) {
                "the form is `outbound_.PORT_.SUBSET_.HOST`"
            } else {
                continue;
            };
            findings
                .add(
                    host,
                    format!("`{host}` is no host here, and no internal name of a service"),
                )
                .help(format!("istiod's webhook refuses the VirtualService: {help}"));
        }
    }
}

/// Whether it has the parts of a name that istiod makes: a port with a digit, any subset, and a host with a letter.
fn is_sound(name: &str) -> bool {
    let mut parts = name.split('_').skip(1);
    let port = parts.next().unwrap_or_default();
    let host = parts.nth(1).unwrap_or_default();
    port.contains(|c: char| c.is_ascii_digit()) && host.contains(|c: char| c.is_ascii_alphabetic())
}
