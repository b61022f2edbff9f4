use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Sidecar;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "captured-socket-listener",
    page: include_str!("../../../rules/captured-socket-listener.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        for listener in sidecar.egress.iter().filter(|listener| listener.port.is_some()) {
            let socket = listener.bind.filter(|bind| bind.starts_with("unix://"));
            let (Some(socket), Some(mode)) = (socket, listener.capture_mode) else {
                continue;
            };
            if mode.as_str() == "IPTABLES" {
                findings
                    .add(mode, "traffic to a Unix socket cannot be captured with `IPTABLES`")
                    .related(socket, "the socket")
                    .help("istiod's webhook refuses the Sidecar; use `NONE` or leave `captureMode` out, and have the application connect to the socket");
            }
        }
    }
}
