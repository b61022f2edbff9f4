use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "foreign-config-map-credential",
    page: include_str!("../../../rules/foreign-config-map-credential.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh.all::<DestinationRule<'_>>() {
        let header = rule.header;
        if !header.namespace_known || !header.namespace_written || is_placeholder(&header.namespace) {
            continue;
        }
        for name in rule.body.policy_levels().filter_map(|level| level.tls?.credential_name) {
            let Some(namespace) =
                namespace_of(name.as_str()).filter(|namespace| *namespace != header.namespace.as_str())
            else {
                continue;
            };
            findings
                .add(
                    name,
                    format!(
                        "the ConfigMap lives in namespace `{namespace}`, the rule in `{}`",
                        header.namespace
                    ),
                )
                .help("istiod's webhook refuses the rule: it may take certificates only from its own namespace");
        }
    }
}

/// The namespace of `configmap://namespace/name`.
fn namespace_of(credential: &str) -> Option<&str> {
    let (namespace, name) = credential.strip_prefix("configmap://")?.split_once('/')?;
    let whole = !namespace.is_empty() && !name.is_empty();
    Some(namespace).filter(|_| whole && !is_placeholder(credential))
}
