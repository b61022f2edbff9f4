use super::connection_pools;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "empty-connection-pool",
    page: include_str!("../../../rules/empty-connection-pool.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for pool in connection_pools(mesh).filter(|pool| pool.is_empty) {
        findings
            .add(pool.span, "the connection pool has neither `tcp` nor `http`")
            .help("istiod's webhook refuses the resource; set limits under `tcp` or `http`, or leave the pool out");
    }
}
