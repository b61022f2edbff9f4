use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::EnvoyFilter;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "ineffective-filter-match",
    page: include_str!("../../../rules/ineffective-filter-match.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (apply_to, filter) in mesh
        .all::<EnvoyFilter<'_>>()
        .flat_map(|filter| filter.body.filter_matches())
    {
        if matches!(apply_to.as_str(), "LISTENER" | "FILTER_CHAIN") {
            findings
                .add(filter.span, format!("a patch of {apply_to} does not look at filters"))
                .related(apply_to, "what is patched")
                .help("nobody refuses it, istiod's webhook only warns: the match is left out, and the patch applies to listeners and chains without that filter as well");
        }
    }
}
