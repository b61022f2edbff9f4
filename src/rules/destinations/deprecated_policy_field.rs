use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Spanned;
use crate::model::istio::{ConsistentHashLb, DestinationRule};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "deprecated-policy-field",
    page: include_str!("../../../rules/deprecated-policy-field.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for level in mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels())
    {
        let errors = level
            .outlier_detection
            .and_then(|detection| detection.consecutive_errors);
        if let Some(errors) = errors.filter(|errors| errors.value != 0) {
            report(
                errors,
                "consecutiveErrors",
                "`consecutiveGatewayErrors` or `consecutive5xxErrors`",
                findings,
            );
        }
        let Some(load_balancer) = level.load_balancer else {
            continue;
        };
        if let Some(duration) = load_balancer.warmup_duration_secs {
            report(duration, "warmupDurationSecs", "`warmup.duration`", findings);
        }
        if let Some(size) = load_balancer.consistent_hash.as_deref().and_then(ring_size) {
            report(size, "minimumRingSize", "`ringHash.minimumRingSize`", findings);
        }
    }
}

/// The size of the ring at its old place, unless it is in conflict with the new one.
fn ring_size(hash: &ConsistentHashLb<'_>) -> Option<Spanned<i64>> {
    let alone = hash.ring_hash.is_none() && hash.maglev.is_none();
    hash.minimum_ring_size.filter(|size| alone && size.value != 0)
}

fn report(at: impl Into<Span>, old: &str, new: &str, findings: &mut Findings) {
    findings
        .add(at, format!("`{old}` is deprecated"))
        .help(format!("it is accepted for now; set {new} instead"));
}
