use super::targets;
use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::PolicyTargetReference;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::nearest;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unsupported-target",
    page: include_str!("../../../rules/unsupported-target.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

/// Kinds that a policy can be attached to, with their groups.
const TARGETS: [(&str, &str); 4] = [
    ("Service", ""),
    ("ServiceEntry", "networking.istio.io"),
    ("Gateway", "gateway.networking.k8s.io"),
    ("GatewayClass", "gateway.networking.k8s.io"),
];

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    // What an EnvoyFilter names is checked by nobody.
    let judged = targets(mesh).filter(|(header, _)| header.kind.as_str() != "EnvoyFilter");
    for reference in judged.flat_map(|(_, targets)| targets.references()) {
        let group = reference.group.as_ref().map_or("", Text::as_str);
        let kind = reference.kind.filter(|kind| !kind.is_empty() && !is_placeholder(kind));
        if let Some(kind) = kind.filter(|_| !is_placeholder(group)) {
            judge(mesh, reference, &kind, group, findings);
        }
    }
}

fn judge(
    mesh: &Mesh<'_>,
    reference: &PolicyTargetReference<'_>,
    kind: &Text<'_>,
    group: &str,
    findings: &mut Findings,
) {
    let finding = match TARGETS.into_iter().find(|(name, _)| *name == kind.as_str()) {
        Some((_, right)) if group == right || (right.is_empty() && group == "core") => return,
        Some((_, right)) => {
            let message = match group {
                "" => format!("there is no `{kind}` in the core group"),
                _ => format!("a `{kind}` of `{group}` is no target"),
            };
            match reference.group {
                None => findings.add(reference.span, message).missing("group"),
                Some(written) => {
                    let right = Some(right).filter(|right| !right.is_empty());
                    let fix = Fix::nearest(mesh.sources, written.span, right);
                    findings.add(written, message).fix(fix)
                }
            }
        }
        None => {
            let near = nearest(kind, TARGETS.into_iter().map(|(name, _)| name));
            let fix = Fix::nearest(mesh.sources, kind.span, near);
            findings.add(kind, format!("a `{kind}` is no target")).fix(fix)
        }
    };
    finding.help("istiod's webhook refuses it; targets are `Service` (without a group), `ServiceEntry` of `networking.istio.io`, and `Gateway` and `GatewayClass` of `gateway.networking.k8s.io`");
}
