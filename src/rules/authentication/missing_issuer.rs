use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::RequestAuthentication;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "missing-issuer",
    page: include_str!("../../../rules/missing-issuer.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let policies = mesh
        .all::<RequestAuthentication<'_>>()
        .filter(|policy| !policy.header.patched);
    for rule in policies
        .flat_map(|policy| &policy.body.jwt_rules)
        .filter(|rule| rule.lacks_issuer)
    {
        findings
            .add(rule.span, "this JWT rule names neither an issuer nor where its keys are")
            .missing("issuer")
            .help("istiod's webhook refuses the policy, even where `jwks` holds the keys; `issuer` is the `iss` claim of the tokens that the rule is for");
    }
}
