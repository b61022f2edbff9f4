use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Value;
use crate::model::istio::{DestinationRule, OutlierDetection};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "local-origin-failures-not-split",
    page: include_str!("../../../rules/local-origin-failures-not-split.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for level in mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels())
    {
        let Some(detection) = level.outlier_detection.filter(|detection| !is_split(detection)) else {
            continue;
        };
        if let Some(failures) = detection
            .consecutive_local_origin_failures
            .filter(|failures| failures.value > 0)
        {
            findings
                .add(
                    failures,
                    "local origin failures are counted only where they are split from the others",
                )
                .help("istiod's webhook refuses the rule; set `splitExternalLocalOriginErrors: true` beside it");
        }
    }
}

/// Also where it is not known yet.
fn is_split(detection: &OutlierDetection<'_>) -> bool {
    match &detection.split_external_local_origin_errors {
        Some(split) => !matches!(split.value, Value::Bool(false)),
        None => false,
    }
}
