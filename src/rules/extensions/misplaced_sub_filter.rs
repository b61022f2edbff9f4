use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::EnvoyFilter;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "misplaced-sub-filter",
    page: include_str!("../../../rules/misplaced-sub-filter.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

const MANAGERS: [&str; 2] = [
    "envoy.filters.network.http_connection_manager",
    "envoy.http_connection_manager",
];

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let filters = mesh
        .all::<EnvoyFilter<'_>>()
        .flat_map(|filter| filter.body.filter_matches());
    for (apply_to, filter) in filters {
        let (Some(sub_filter), Some(name)) = (&filter.sub_filter, &filter.name) else {
            continue;
        };
        if apply_to.as_str() != "HTTP_FILTER" {
            findings
                .add(sub_filter.span, format!("a patch of {apply_to} cannot match on a sub-filter"))
                .related(apply_to, "what is patched")
                .help("istiod's webhook refuses the EnvoyFilter: only patches of HTTP_FILTER look at the filters inside of another");
        } else if !MANAGERS.contains(&name.as_str()) && !name.is_empty() && !is_placeholder(name) {
            findings
                .add(name, format!("the filter `{name}` has no sub-filters"))
                .related(sub_filter.span, "the sub-filter")
                .help(format!(
                    "istiod's webhook refuses the EnvoyFilter: HTTP filters stand in `{}`",
                    MANAGERS[0]
                ));
        }
    }
}
