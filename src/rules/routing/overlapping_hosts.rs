use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::values::{address, host};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "overlapping-hosts",
    page: include_str!("../../../rules/overlapping-hosts.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        let hosts: Vec<_> = virtual_service.hosts.iter().filter(|host| is_sound(host)).collect();
        for (index, later) in hosts.iter().enumerate() {
            let earlier = hosts.iter().take(index).find(|earlier| host::overlap(earlier, later));
            let Some(earlier) = earlier else {
                continue;
            };
            let message = if earlier.as_str() == later.as_str() {
                format!("host `{later}` stands here twice")
            } else {
                format!("hosts `{earlier}` and `{later}` overlap")
            };
            findings
                .add(*later, message)
                .related(*earlier, "the other host")
                .help("istiod's webhook refuses the VirtualService: each host must belong to one entry; keep one of the two, or give the narrower its own VirtualService");
        }
    }
}

fn is_sound(text: &Text<'_>) -> bool {
    !is_placeholder(text) && (host::check_wildcard(text).is_ok() || address::parse(text).is_some())
}
