use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::PeerAuthentication;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "port-mtls-without-selector",
    page: include_str!("../../../rules/port-mtls-without-selector.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for policy in mesh.all::<PeerAuthentication<'_>>() {
        let selects_all = policy.lacks_selector && !policy.header.patched;
        if let (Some((port, _)), true) = (policy.port_level_mtls.first(), selects_all) {
            findings
                .add(port, format!("mutual TLS of port {port} is set for no workload in particular"))
                .missing_at("spec")
                .help("the CRD schema and istiod's webhook refuse it: ports are those of a workload, so a policy with `portLevelMtls` selects its pods by labels");
        }
    }
}
