//! The hosts that a listener of a Sidecar imports.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::mesh::SidecarHosts;
use crate::values::host::{is_covered, overlap};

/// The entries `namespace/host` of one listener.
#[derive(Debug, Default)]
pub(super) struct Hosts<'h> {
    included: FxHashMap<&'h str, Patterns<'h>>,
    excluded: FxHashMap<&'h str, Patterns<'h>>,
}

#[derive(Debug, Default)]
struct Patterns<'h> {
    exact: FxHashSet<&'h str>,
    wildcards: Vec<&'h str>,
}

impl<'h> Hosts<'h> {
    /// Everything that is visible.
    pub(super) fn all() -> Self {
        Self::new(std::iter::once("*/*"), "")
    }

    /// Reads the entries of a listener for proxies of a namespace.
    pub(super) fn new(entries: impl Iterator<Item = &'h str>, namespace: &'h str) -> Self {
        let mut hosts = Self::default();
        for entry in entries.filter_map(|entry| SidecarHosts::parse(entry, namespace)) {
            let side = if entry.excludes {
                &mut hosts.excluded
            } else {
                &mut hosts.included
            };
            let patterns = side.entry(entry.namespace).or_default();
            if entry.host.starts_with('*') {
                patterns.wildcards.push(entry.host);
            } else {
                patterns.exact.insert(entry.host);
            }
        }
        hosts
    }

    /// The namespaces from which anything can be imported; `None` where that is any.
    pub(super) fn into_namespaces(self) -> Option<impl Iterator<Item = &'h str>> {
        (!self.included.contains_key("*")).then(|| self.included.into_keys())
    }

    /// Whether a host that lives in a namespace is imported.
    pub(super) fn import(&self, namespace: &str, host: &str) -> bool {
        let covers = |patterns: &Patterns<'_>| patterns.cover(host);
        any(&self.included, namespace, covers) && !any(&self.excluded, namespace, covers)
    }

    /// Whether routes of a namespace for a host are imported: patterns on either side may meet.
    pub(super) fn import_routes(&self, namespace: &str, host: &str) -> bool {
        any(&self.included, namespace, |patterns| patterns.meet(host))
            && !any(&self.excluded, namespace, |patterns| patterns.cover(host))
    }
}

fn any<'h>(side: &FxHashMap<&'h str, Patterns<'h>>, namespace: &str, test: impl Fn(&Patterns<'h>) -> bool) -> bool {
    side.get(namespace).is_some_and(&test) || side.get("*").is_some_and(test)
}

impl Patterns<'_> {
    fn cover(&self, host: &str) -> bool {
        self.exact.contains(host) || self.wildcards.iter().any(|pattern| is_covered(host, pattern))
    }

    fn meet(&self, host: &str) -> bool {
        self.exact.contains(host)
            || self.wildcards.iter().any(|pattern| overlap(host, pattern))
            || (host.starts_with('*') && self.exact.iter().any(|name| overlap(host, name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_add_and_take_away() {
        let hosts = Hosts::new(["*/*", "~crm/*", "~*/audit.ops.svc.cluster.local"].into_iter(), "shop");
        assert!(hosts.import("shop", "web.shop.svc.cluster.local"));
        assert!(!hosts.import("crm", "leads.crm.svc.cluster.local"));
        assert!(!hosts.import("ops", "audit.ops.svc.cluster.local"));
    }

    #[test]
    fn routes_are_imported_by_patterns_of_either_side() {
        let hosts = Hosts::new(["./api.example.com"].into_iter(), "shop");
        assert!(hosts.import_routes("shop", "*.example.com"));
        assert!(!hosts.import("shop", "*.example.com"));
        assert!(!hosts.import_routes("crm", "*.example.com"));
    }
}
