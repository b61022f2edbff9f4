//! PeerAuthentications: whether servers take plain connections, mutual TLS, or both.
//!
//! Of each level, mesh, namespace and workload, the oldest counts alone; what it leaves open is that of the level above
//! (catalogue: policies, 1 to 9).

use rustc_hash::FxHashMap;

use super::message::{Origin, Str};
use super::registry::UNDATED;
use crate::mesh::{Mesh, Object};
use crate::model::Labels;
use crate::model::istio::{MutualTls, PeerAuthentication};
use crate::source::Span;

/// What a server takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Plain connections and mutual TLS.
    #[default]
    Permissive,
    /// Mutual TLS alone.
    Strict,
    /// Plain connections alone.
    Disable,
}

impl Mode {
    /// The mode that a policy says; `None` where it leaves it open.
    fn of(mtls: Option<&MutualTls<'_>>) -> Option<Self> {
        match mtls?.mode?.as_str() {
            "PERMISSIVE" => Some(Self::Permissive),
            "STRICT" => Some(Self::Strict),
            "DISABLE" => Some(Self::Disable),
            _ => None,
        }
    }
}

/// All PeerAuthentications of a mesh.
#[derive(Debug, Default)]
pub struct Mtls<'m, 'a> {
    mesh: Level,
    namespaces: FxHashMap<&'m str, Namespace<'m, 'a>>,
}

/// A mode and the policy that says so.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    mode: Mode,
    span: Option<Span>,
}

#[derive(Debug, Default)]
struct Namespace<'m, 'a> {
    level: Option<Level>,
    /// The policies with a selector, the oldest first.
    workloads: Vec<Policy<'m, 'a>>,
}

#[derive(Debug)]
struct Policy<'m, 'a> {
    labels: &'m Labels<'a>,
    mode: Option<Mode>,
    ports: Vec<(u32, Option<Mode>)>,
    span: Span,
}

/// What holds for one workload.
#[derive(Clone, Debug)]
pub struct WorkloadMtls<'w> {
    /// The mode of every port that has none of its own.
    pub mode: Mode,
    /// The policies that said so.
    pub origin: Origin,
    ports: &'w [(u32, Option<Mode>)],
}

impl WorkloadMtls<'_> {
    /// The mode of a port of the pods.
    pub fn of_port(&self, port: u32) -> Mode {
        let own = self.ports.iter().find(|(number, _)| *number == port);
        own.and_then(|(_, mode)| *mode).unwrap_or(self.mode)
    }

    /// The ports that a policy names, and their modes.
    pub fn ports(&self) -> impl Iterator<Item = (u32, Mode)> {
        self.ports.iter().map(|(port, mode)| (*port, mode.unwrap_or(self.mode)))
    }
}

impl<'m, 'a> Mtls<'m, 'a> {
    /// Indexes a mesh. Only the first cluster's policies count.
    pub fn new(mesh: &'m Mesh<'a>) -> Self {
        let mut policies: Vec<Object<'m, 'a, PeerAuthentication<'a>>> =
            mesh.all().filter(|policy| policy.header.cluster == 0).collect();
        policies.sort_by_key(|policy| {
            let created = policy.header.created.map_or(UNDATED, |created| created.as_str());
            (created, policy.header.name.as_str())
        });
        let root = mesh.settings.root_namespace.as_str();
        let mut mtls = Self::default();
        let is_mesh = |policy: &&Object<'m, 'a, PeerAuthentication<'a>>| {
            policy.header.namespace.as_str() == root && selector(policy.body).is_none()
        };
        if let Some(policy) = policies.iter().find(is_mesh) {
            mtls.mesh = mtls.mesh.below(policy);
        }
        for policy in &policies {
            let namespace = mtls.namespaces.entry(policy.header.namespace.as_str()).or_default();
            match selector(policy.body) {
                Some(labels) => namespace.workloads.push(Policy::new(labels, policy)),
                None if namespace.level.is_none() => namespace.level = Some(mtls.mesh.below(policy)),
                None => {}
            }
        }
        mtls
    }

    /// The mode of a namespace as clients see it: that of the namespace, or that of the mesh.
    pub fn of_namespace(&self, namespace: &str) -> Mode {
        self.level(namespace).mode
    }

    /// Where the policy stands that decides for a namespace.
    pub fn level_span(&self, namespace: &str) -> Option<Span> {
        self.level(namespace).span
    }

    /// What holds for pods by their namespace and labels, which are sorted.
    pub fn of_workload(&self, namespace: &str, labels: &[(Str, Str)]) -> WorkloadMtls<'_> {
        let level = self.level(namespace);
        let policies = self
            .namespaces
            .get(namespace)
            .map_or(&[][..], |namespace| &namespace.workloads);
        let policy = policies.iter().find(|policy| policy.selects(labels));
        let mut origin = Origin(level.span.into_iter().collect());
        if let Some(policy) = policy {
            origin.add(policy.span);
        }
        WorkloadMtls {
            mode: policy.and_then(|policy| policy.mode).unwrap_or(level.mode),
            origin,
            ports: policy.map_or(&[], |policy| &policy.ports),
        }
    }

    fn level(&self, namespace: &str) -> Level {
        let own = self.namespaces.get(namespace).and_then(|namespace| namespace.level);
        own.unwrap_or(self.mesh)
    }
}

impl Level {
    fn below(self, policy: &Object<'_, '_, PeerAuthentication<'_>>) -> Self {
        Self {
            mode: Mode::of(policy.body.mtls.as_deref()).unwrap_or(self.mode),
            span: Some(policy.header.span),
        }
    }
}

impl<'m, 'a> Policy<'m, 'a> {
    fn new(labels: &'m Labels<'a>, policy: &Object<'m, 'a, PeerAuthentication<'a>>) -> Self {
        let ports = policy.body.port_level_mtls.iter();
        Self {
            labels,
            mode: Mode::of(policy.body.mtls.as_deref()),
            ports: ports
                .filter_map(|(port, mtls)| Some((port.parse().ok()?, Mode::of(Some(mtls)))))
                .collect(),
            span: policy.header.span,
        }
    }

    fn selects(&self, labels: &[(Str, Str)]) -> bool {
        let value = |key: &str| {
            let place = labels.binary_search_by(|(name, _)| name.as_str().cmp(key));
            place.ok().map(|place| labels[place].1.as_str())
        };
        self.labels.iter().all(|(key, wanted)| value(key) == Some(wanted))
    }
}

/// The labels that a policy selects; `None` for one that selects everything.
fn selector<'m, 'a>(policy: &'m PeerAuthentication<'a>) -> Option<&'m Labels<'a>> {
    let labels = &policy.selector.as_ref()?.match_labels;
    (!labels.is_empty()).then_some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Spanned;
    use crate::source::{Interner, Words};

    fn labels<'a>(words: &Interner<'a>, key: &str, value: &str) -> Labels<'a> {
        let text = |text: &str| Spanned {
            value: words.word(text),
            span: Span::default(),
        };
        Labels::new([(text(key), text(value))].into_iter().collect())
    }

    fn policy<'m, 'a>(labels: &'m Labels<'a>, mode: Option<Mode>, ports: &[(u32, Option<Mode>)]) -> Policy<'m, 'a> {
        Policy {
            labels,
            mode,
            ports: ports.to_vec(),
            span: Span::default(),
        }
    }

    #[test]
    fn what_a_level_leaves_open_is_that_of_the_level_above() {
        let words = Words::default();
        let web = labels(&Interner::new(&words), "app", "web");
        let db = labels(&Interner::new(&words), "app", "db");
        let level = |mode| Level { mode, span: None };
        let mut mtls = Mtls {
            mesh: level(Mode::Strict),
            ..Mtls::default()
        };
        let shop = Namespace {
            level: Some(level(Mode::Disable)),
            workloads: vec![
                policy(&web, None, &[(80, Some(Mode::Permissive)), (81, None)]),
                policy(&web, Some(Mode::Strict), &[(82, Some(Mode::Strict))]),
                policy(&db, Some(Mode::Strict), &[(80, None)]),
            ],
        };
        mtls.namespaces.insert("shop", shop);
        let pods = |app: &'static str| [(Str::new_static("app"), Str::new_static(app))];
        let of = |namespace: &str, app, port| mtls.of_workload(namespace, &pods(app)).of_port(port);
        assert_eq!(
            [of("shop", "web", 80), of("shop", "web", 81)],
            [Mode::Permissive, Mode::Disable]
        );
        assert_eq!(of("shop", "web", 82), Mode::Disable);
        assert_eq!([of("shop", "db", 80), of("shop", "db", 443)], [Mode::Strict; 2]);
        assert_eq!(
            [of("shop", "api", 80), of("other", "web", 80)],
            [Mode::Disable, Mode::Strict]
        );
        assert_eq!(
            [mtls.of_namespace("shop"), mtls.of_namespace("other")],
            [Mode::Disable, Mode::Strict]
        );
    }
}
