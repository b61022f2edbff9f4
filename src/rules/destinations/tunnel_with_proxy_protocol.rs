use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "tunnel-with-proxy-protocol",
    page: include_str!("../../../rules/tunnel-with-proxy-protocol.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for policy in mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.traffic_policies())
    {
        if let (Some(tunnel), Some(header)) = (&policy.tunnel, &policy.proxy_protocol) {
            findings
                .add(header.span, "a tunnelled connection cannot begin with a PROXY header")
                .related(tunnel.span, "the tunnel")
                .help("istiod's webhook refuses the rule; keep `tunnel` or `proxyProtocol`");
        }
    }
}
