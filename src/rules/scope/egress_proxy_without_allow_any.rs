use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Sidecar;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "egress-proxy-without-allow-any",
    page: include_str!("../../../rules/egress-proxy-without-allow-any.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        let Some(policy) = &sidecar.outbound_traffic_policy else {
            continue;
        };
        let Some(proxy) = &policy.egress_proxy else {
            continue;
        };
        let finding = match policy.mode {
            None if !sidecar.header.patched => findings
                .add(
                    policy.span,
                    "an egress proxy is set, and without a mode unknown hosts are refused",
                )
                .missing("mode"),
            Some(mode) if mode.as_str() == "REGISTRY_ONLY" => findings.add(
                mode,
                "an egress proxy is set, and `REGISTRY_ONLY` refuses unknown hosts",
            ),
            _ => continue,
        };
        finding
            .related(proxy.span, "the egress proxy")
            .help("istiod's webhook refuses the Sidecar; set `mode: ALLOW_ANY` to send traffic for unknown hosts to the proxy");
    }
}
