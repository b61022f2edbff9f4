use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "repeated-subset",
    page: include_str!("../../../rules/repeated-subset.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh.all::<DestinationRule<'_>>() {
        let mut seen = FxHashMap::default();
        let names = rule.body.subsets.iter().filter_map(|subset| subset.name.as_ref());
        for name in names.filter(|name| !name.is_empty() && !is_placeholder(name)) {
            if let Some(earlier) = seen.insert(name.as_str(), name.span) {
                findings
                    .add(name, format!("subset `{name}` is there twice"))
                    .related(earlier, "the other one")
                    .help("istiod's webhook refuses the rule; give it another name, or join the two");
            }
        }
    }
}
