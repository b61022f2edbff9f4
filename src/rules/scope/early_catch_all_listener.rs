use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Sidecar;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "early-catch-all-listener",
    page: include_str!("../../../rules/early-catch-all-listener.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>().filter(|sidecar| !sidecar.header.patched) {
        let Some((last, earlier)) = sidecar.egress.split_last() else {
            continue;
        };
        for listener in earlier.iter().filter(|listener| !listener.has_port) {
            findings
                .add(listener.span, "a listener without a port takes all other ports, and more listeners follow")
                .missing("port")
                .related(last.span, "the last listener")
                .help("istiod's webhook refuses the Sidecar; move the listener without a port to the end, and have only one");
        }
    }
}
