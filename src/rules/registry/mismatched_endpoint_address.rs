use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};
use crate::values::address;
use crate::values::host::check_fqdn;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "mismatched-endpoint-address",
    page: include_str!("../../../rules/mismatched-endpoint-address.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>() {
        let resolution = resolution(&entry);
        for address in entry.body.endpoints.iter().filter_map(|endpoint| endpoint.address) {
            if is_placeholder(&address) {
                continue;
            }
            let name = check_fqdn(&address).is_ok() && address::parse(&address).is_none();
            if resolution == Resolution::Static && name {
                findings
                    .add(
                        address,
                        format!("the endpoint `{address}` is a name, but the resolution is STATIC"),
                    )
                    .help("istiod's webhook refuses the entry; give its address, or set `resolution: DNS`");
            }
            if resolution.is_by_name() && address.starts_with("unix://") {
                findings
                    .add(
                        address,
                        format!("the endpoint `{address}` is a socket, but the resolution is DNS"),
                    )
                    .help("istiod's webhook refuses the entry; sockets go with `resolution: STATIC`");
            }
        }
    }
}
