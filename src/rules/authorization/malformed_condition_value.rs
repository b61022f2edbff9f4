use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};
use crate::values::policy::attribute;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-condition-value",
    page: include_str!("../../../rules/malformed-condition-value.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let conditions = mesh
        .all::<AuthorizationPolicy<'_>>()
        .flat_map(|policy| policy.body.conditions());
    for condition in conditions {
        let Some(key) = &condition.key else { continue };
        let Ok(Some(form)) = attribute(key) else { continue };
        let values = condition.values.iter().chain(&condition.not_values);
        for value in values.filter(|value| !value.is_empty() && !is_placeholder(value)) {
            if let Some(fault) = form.fault(value) {
                findings
                    .add(value, format!("`{value}` is no value of `{key}`"))
                    .related(key, "the attribute")
                    .help(format!("istiod's webhook refuses the policy: {fault}"));
            }
        }
    }
}
