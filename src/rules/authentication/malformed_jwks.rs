use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::RequestAuthentication;
use crate::rules::{Check, Fixes, Rule};
use crate::values::jwks::holds_private_key;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-jwks",
    page: include_str!("../../../rules/malformed-jwks.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let rules = mesh
        .all::<RequestAuthentication<'_>>()
        .flat_map(|policy| &policy.body.jwt_rules);
    for jwks in rules.filter_map(|rule| rule.jwks.as_ref()) {
        if jwks.is_empty() || is_placeholder(jwks) {
            continue;
        }
        if let Err(fault) = holds_private_key(jwks) {
            findings
                .add(jwks, format!("`jwks` holds no JSON Web Key Set: {fault}"))
                .help("istiod's webhook refuses the policy; paste what the issuer serves at its `jwks_uri`, or name that address in `jwksUri`");
        }
    }
}
