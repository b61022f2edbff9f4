use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "repeated-cookie-attribute",
    page: include_str!("../../../rules/repeated-cookie-attribute.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let levels = mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels());
    let hashes = levels.filter_map(|level| level.load_balancer?.consistent_hash.as_ref());
    for cookie in hashes.filter_map(|hash| hash.http_cookie.as_ref()) {
        let names: Vec<_> = cookie
            .attributes
            .iter()
            .filter_map(|attribute| attribute.name)
            .collect();
        for (index, name) in names.iter().enumerate() {
            let earlier = names
                .iter()
                .take(index)
                .find(|earlier| earlier.as_str() == name.as_str());
            if let Some(earlier) = earlier.filter(|_| !name.is_empty() && !is_placeholder(name)) {
                findings
                    .add(name, format!("the cookie attribute `{name}` is there twice"))
                    .related(earlier, "the first one")
                    .help("istiod's webhook refuses the rule; a cookie carries an attribute once");
            }
        }
    }
}
