use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Telemetry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "several-tracers",
    page: include_str!("../../../rules/several-tracers.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for telemetry in mesh.all::<Telemetry<'_>>() {
        if let [first, second, ..] = &telemetry.tracing[..] {
            findings
                .add(second.span, "this is the second entry of `tracing`")
                .related(first.span, "the first")
                .help("nobody refuses it, istiod's webhook only warns: Istio does not support several; put all that you want into one");
        }
        for tracing in &telemetry.tracing {
            if let [first, second, ..] = &tracing.providers[..] {
                findings
                    .add(second.span, "this is the second provider of traces")
                    .related(first.span, "the first")
                    .help("nobody refuses it, istiod's webhook only warns: a proxy sends its spans to one provider; a collector can send them on");
            }
        }
    }
}
