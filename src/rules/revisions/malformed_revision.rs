use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Mesh, REVISION};
use crate::model::{Body, Text};
use crate::rules::{Check, Fixes, Rule};
use crate::values::host::is_dns_label;
use crate::yaml::edit::replace_scalar;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-revision",
    page: include_str!("../../../rules/malformed-revision.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for resource in &mesh.resources {
        let template = match &resource.body {
            Body::Workload(workload) => workload.template.as_ref().and_then(|template| template.label(REVISION)),
            _ => None,
        };
        for revision in resource.header.labels.get(REVISION).into_iter().chain(template) {
            if is_label(revision.as_str()) || revision.is_empty() || is_placeholder(revision.as_str()) {
                continue;
            }
            let fixed = as_label(revision.as_str());
            let edit = is_label(&fixed)
                .then(|| replace_scalar(mesh.sources, revision.span, &fixed))
                .flatten();
            report(
                revision,
                &fixed,
                edit.map(|edit| Fix::risky(format!("use `{fixed}`"), edit)),
                findings,
            );
        }
    }
}

fn report(revision: &Text<'_>, fixed: &str, fix: Option<Fix>, findings: &mut Findings) {
    findings
        .add(revision, format!("`{revision}` cannot be the name of a revision"))
        .help(format!(
            "istiod's Deployment, Service and webhooks carry it in their names, so it must be a DNS-1123 label: lower case letters, digits and `-`, such as `{fixed}`"
        ))
        .fix(fix);
}

/// DNS-1123: at most 63 lower case letters, digits and dashes, no dash at the ends.
fn is_label(name: &str) -> bool {
    is_dns_label(name) && !name.bytes().any(|byte| byte.is_ascii_uppercase())
}

fn as_label(name: &str) -> String {
    let dashed: String = name
        .to_ascii_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    dashed.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_told_from_versions() {
        assert!(is_label("1-30-1") && is_label("prod") && is_label("a"));
        for name in ["1.30.1", "Prod", "-a", "a-", "", "a_b"] {
            assert!(!is_label(name), "{name}");
        }
        assert_eq!(as_label("1.30.1"), "1-30-1");
    }
}
