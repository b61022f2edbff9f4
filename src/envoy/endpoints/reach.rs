//! Services whose clients stay in their own cluster.

use crate::envoy::message::Str;
use crate::mesh::Mesh;

/// Which hosts are local to each cluster: the most specific pattern decides (catalogue: several clusters, 66).
#[derive(Debug, Default)]
pub struct ClusterLocal {
    /// Patterns, the most specific first, and whether they make local.
    patterns: Vec<(Str, bool)>,
}

impl ClusterLocal {
    /// The settings of the mesh, and what is local in any mesh: what clusters have of themselves.
    pub fn new(mesh: &Mesh<'_>) -> Self {
        let (domain, root) = (&mesh.settings.cluster_domain, &mesh.settings.root_namespace);
        let own = [
            format!("*.kube-system.svc.{domain}"),
            format!("kubernetes.default.svc.{domain}"),
            format!("istiod.{root}.svc.{domain}"),
        ];
        let written = mesh.settings.config.service_settings.iter().flat_map(|entry| {
            let local = entry.settings.as_deref().and_then(|settings| settings.cluster_local);
            let local = local.is_some_and(|local| local.value);
            entry.hosts.iter().map(move |host| (Str::new(host.as_str()), local))
        });
        let mut patterns: Vec<(Str, bool)> = written.chain(own.map(|host| (Str::from(host), true))).collect();
        patterns.sort_by_key(|(pattern, _)| (pattern.starts_with('*'), std::cmp::Reverse(pattern.len())));
        Self { patterns }
    }

    /// Whether the clients of a host stay in their own cluster.
    pub fn holds(&self, host: &str) -> bool {
        let covers = |pattern: &str| match pattern.strip_prefix('*') {
            Some(suffix) => host.ends_with(suffix),
            None => host == pattern,
        };
        self.patterns
            .iter()
            .find(|(pattern, _)| covers(pattern))
            .is_some_and(|(_, local)| *local)
    }
}
