use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::EnvoyFilter;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "filter-without-configuration",
    page: include_str!("../../../rules/filter-without-configuration.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

const CONFIGURATION: [&str; 4] = ["typed_config", "typedConfig", "config_discovery", "configDiscovery"];

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for patch in mesh.all::<EnvoyFilter<'_>>().flat_map(|filter| filter.body.judged()) {
        let (Some(apply_to), Some(change)) = (&patch.apply_to, &patch.patch) else {
            continue;
        };
        let is_filter = matches!(apply_to.as_str(), "HTTP_FILTER" | "NETWORK_FILTER" | "LISTENER_FILTER");
        let removes = change
            .operation
            .as_ref()
            .is_some_and(|operation| operation.as_str() == "REMOVE");
        let value = change.value.as_ref().filter(|_| is_filter && !removes);
        let bare = value.filter(|value| CONFIGURATION.iter().all(|field| value.get(field).is_none()));
        if let Some(name) = bare.and_then(|value| value.get("name")) {
            findings
                .add(name, "this filter has a name and no configuration")
                .help("nobody refuses it, istiod's webhook only warns: Envoy finds a filter by the type of its `typed_config`, and refuses the listener where there is none");
        }
    }
}
