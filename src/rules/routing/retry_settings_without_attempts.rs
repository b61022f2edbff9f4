use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{HttpRetry, VirtualService};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "retry-settings-without-attempts",
    page: include_str!("../../../rules/retry-settings-without-attempts.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        if virtual_service.header.patched {
            continue;
        }
        for retry in virtual_service.http.iter().filter_map(|route| route.retries.as_deref()) {
            let Some((place, field)) = setting(retry) else {
                continue;
            };
            let finding = match retry.attempts {
                Some(attempts) if attempts.value != 0 => continue,
                Some(attempts) => findings.add(attempts, format!("`{field}` has no effect with 0 attempts")),
                None if !retry.lacks_attempts => continue,
                None => findings
                    .add(retry.span, format!("`{field}` has no effect without `attempts`"))
                    .missing("attempts"),
            };
            finding
                .related(place, "set here")
                .help("istiod's webhook refuses the VirtualService: without attempts there are no retries; say how many, or drop the other settings");
        }
    }
}

fn setting(retry: &HttpRetry<'_>) -> Option<(Span, &'static str)> {
    let timeout = retry.per_try_timeout.map(|timeout| (timeout.span, "perTryTimeout"));
    let conditions = retry.retry_on.filter(|conditions| !conditions.is_empty());
    let conditions = conditions.map(|conditions| (conditions.span, "retryOn"));
    let localities = retry
        .retry_remote_localities
        .map(|localities| (localities.span, "retryRemoteLocalities"));
    timeout.or(conditions).or(localities)
}
