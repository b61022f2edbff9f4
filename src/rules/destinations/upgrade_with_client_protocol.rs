use super::connection_pools;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "upgrade-with-client-protocol",
    page: include_str!("../../../rules/upgrade-with-client-protocol.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for http in connection_pools(mesh).filter_map(|pool| pool.http.as_ref()) {
        let upgrade = http
            .h2_upgrade_policy
            .as_ref()
            .filter(|policy| policy.as_str() == "UPGRADE");
        let kept = http.use_client_protocol.as_ref().filter(|kept| kept.value);
        if let (Some(upgrade), Some(kept)) = (upgrade, kept) {
            findings
                .add(kept, "`useClientProtocol` excludes an upgrade to HTTP/2")
                .related(upgrade, "connections are to be upgraded")
                .help("istiod's webhook refuses the resource: a connection cannot both be HTTP/2 and be what the client speaks; keep one of the two");
        }
    }
}
