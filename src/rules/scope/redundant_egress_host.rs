use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{IstioEgressListener, Sidecar};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "redundant-egress-host",
    page: include_str!("../../../rules/redundant-egress-host.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        let header = sidecar.header;
        // In the root namespace `.` stands for the namespace of each workload.
        let everywhere = header.namespace.as_str() == mesh.settings.root_namespace;
        let fixed = header.namespace_known && header.namespace_written && !everywhere;
        let own = if fixed { header.namespace.as_str() } else { "." };
        for listener in &sidecar.egress {
            judge(listener, own, findings);
        }
    }
}

/// The hosts of one namespace, and the first of them.
#[derive(Default)]
struct Imported<'r, 'a> {
    hosts: FxHashMap<&'a str, &'r Text<'a>>,
    first: Option<&'r Text<'a>>,
}

fn judge(listener: &IstioEgressListener<'_>, own: &str, findings: &mut Findings) {
    let mut namespaces: FxHashMap<&str, Imported<'_, '_>> = FxHashMap::default();
    for text in &listener.hosts {
        let Some((namespace, host)) = text.as_str().split_once('/') else {
            continue;
        };
        if namespace.starts_with('~') || is_placeholder(text) {
            continue;
        }
        let namespace = if namespace == "." { own } else { namespace };
        let imported = namespaces.entry(namespace).or_default();
        if let ("*", Some(first)) = (host, imported.first) {
            report(first, text, findings);
        } else if let Some(wide) = imported.hosts.get("*").or_else(|| imported.hosts.get(host)) {
            report(text, wide, findings);
        }
        imported.hosts.insert(host, text);
        imported.first.get_or_insert(text);
    }
    if let Some(everything) = namespaces.get("*").and_then(|imported| imported.hosts.get("*")) {
        let others = namespaces.iter().filter(|(namespace, _)| **namespace != "*");
        for other in others.filter_map(|(_, imported)| imported.first) {
            report(other, everything, findings);
        }
    }
}

fn report(text: &Text<'_>, wide: &Text<'_>, findings: &mut Findings) {
    findings
        .add(text, format!("`{text}` adds nothing to `{wide}`"))
        .related(wide, "the entry that imports it as well")
        .help(
            "the webhook lets it pass with a warning; keep one of them, best the one that imports just what is called",
        );
}
