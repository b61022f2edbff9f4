use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Gateway;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "repeated-server-port-name",
    page: include_str!("../../../rules/repeated-server-port-name.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        let ports = gateway.servers.iter().filter_map(|server| server.port.as_ref());
        let names = ports.filter_map(|port| port.name.as_ref());
        let mut seen = FxHashMap::default();
        for name in names.filter(|name| !name.is_empty() && !is_placeholder(name)) {
            if let Some(earlier) = seen.insert(name.as_str(), name) {
                findings
                    .add(name, format!("another server has a port named `{name}` as well"))
                    .related(earlier, "the first one")
                    .help("istiod's webhook refuses the Gateway; give each server's port its own name, such as `https-shop`");
            }
        }
    }
}
