use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::RequestAuthentication;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "several-key-sources",
    page: include_str!("../../../rules/several-key-sources.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh
        .all::<RequestAuthentication<'_>>()
        .flat_map(|policy| &policy.body.jwt_rules)
    {
        let sources = [
            ("jwksUri", &rule.jwks_uri),
            ("jwks_uri", &rule.old_jwks_uri),
            ("jwks", &rule.jwks),
        ];
        let mut given = sources
            .into_iter()
            .filter_map(|(field, text)| Some((field, text.as_ref()?)));
        let Some((first, place)) = given.next() else { continue };
        for (field, text) in given {
            findings
                .add(text, format!("the keys stand in `{field}`, and in `{first}` as well"))
                .related(place, "the other place")
                .help("the CRD schema refuses the policy; keep one of them");
        }
    }
}
