use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "ineffective-inbound-retry",
    page: include_str!("../../../rules/ineffective-inbound-retry.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    mesh.mesh_configs(|config| {
        let Some(retry) = &config.default_inbound_http_retry_policy else {
            return;
        };
        let set = [
            ("perTryTimeout", retry.per_try_timeout.as_ref().map(Span::from)),
            ("retryRemoteLocalities", retry.retry_remote_localities.as_ref().map(Span::from)),
            ("retryIgnorePreviousHosts", retry.retry_ignore_previous_hosts.as_ref().map(Span::from)),
        ];
        for (field, span) in set {
            if let Some(span) = span {
                findings
                    .add(span, format!("`{field}` has no effect on retries of inbound requests"))
                    .help("nobody refuses it, istiod only warns: an inbound request goes to the one workload behind the proxy; remove the field");
            }
        }
    });
}
