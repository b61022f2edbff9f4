use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::values::{address, host};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "sni-host-outside-hosts",
    page: include_str!("../../../rules/sni-host-outside-hosts.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        let hosts = &virtual_service.body.hosts;
        if virtual_service.is_delegate() || hosts.iter().any(|host| is_placeholder(host)) {
            continue;
        }
        let names = virtual_service
            .tls
            .iter()
            .flat_map(|route| &route.matches)
            .flat_map(|entry| &entry.sni_hosts);
        for name in names.filter(|name| is_name(name) && !hosts.iter().any(|host| host::is_covered(name, host))) {
            let finding = findings.add(name, format!("`{name}` is not among the hosts of this VirtualService"));
            finding.help("istiod's webhook refuses the VirtualService: each name in `sniHosts` must be one of `hosts`, or fit a wildcard there; add it to `hosts`");
            if let Some(host) = hosts.first() {
                finding.related(host, "the hosts");
            }
        }
    }
}

fn is_name(text: &Text<'_>) -> bool {
    !text.is_empty() && !is_placeholder(text) && address::parse(text).is_none()
}
