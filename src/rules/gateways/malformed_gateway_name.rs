use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Gateway;
use crate::rules::{Check, Fixes, Rule};
use crate::values::host::is_dns_label;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-gateway-name",
    page: include_str!("../../../rules/malformed-gateway-name.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        let name = &gateway.header.name;
        if name.is_empty() || is_placeholder(name) || is_dns_label(name) {
            continue;
        }
        findings
            .add(name, format!("a Gateway cannot be named `{name}`"))
            .help("istiod's webhook refuses it: the name must be one DNS label, that is at most 63 letters, digits and inner dashes, without dots");
    }
}
