use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::RequestAuthentication;
use crate::rules::{Check, Fixes, Rule};
use crate::values::jwks::holds_private_key;

pub const RULE: Rule = Rule {
    id: "private-key-in-jwks",
    page: include_str!("../../../rules/private-key-in-jwks.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let rules = mesh
        .all::<RequestAuthentication<'_>>()
        .flat_map(|policy| &policy.body.jwt_rules);
    for jwks in rules.filter_map(|rule| rule.jwks.as_ref()) {
        if holds_private_key(jwks) == Ok(true) {
            findings
                .add(jwks, "`jwks` holds a private or symmetric key")
                .help("istiod's webhook only warns: whoever can read the resource or its repository can sign tokens that it accepts; replace the key at the issuer, and put only public keys here");
        }
    }
}
