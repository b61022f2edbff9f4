use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;
use rustc_hash::FxHashMap;

pub const RULE: Rule = Rule {
    id: "duplicate-provider",
    page: include_str!("../../../rules/duplicate-provider.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    mesh.mesh_configs(|config| {
        let names = config.extension_providers.iter().filter_map(|provider| provider.name.as_ref());
        let mut seen = FxHashMap::default();
        for name in names.filter(|name| !is_placeholder(name)) {
            match seen.get(name.as_str()) {
                Some(first) => {
                    findings
                        .add(name, format!("there is another extension provider `{name}`"))
                        .related(*first, "the first")
                        .help("nobody refuses it, istiod only logs it: policies and Telemetry name a provider, and one of the two is never meant; give them different names");
                }
                None => {
                    seen.insert(name.as_str(), name.span);
                }
            }
        }
    });
}
