//! Rules by namespace and host.

use rustc_hash::FxHashMap;

use super::{BackendRule, MergedRule};
use crate::envoy::message::{Origin, Str};
use crate::envoy::pods::PodGroup;
use crate::envoy::registry::{Service, UNDATED};
use crate::mesh::{Mesh, Object};
use crate::model::Text;
use crate::model::istio::{DestinationRule, Subset};

/// All rules of a mesh.
#[derive(Debug, Default)]
pub struct Destinations<'m, 'a> {
    root_namespace: &'m str,
    /// Whether any rule hashes requests.
    pub(in crate::envoy) hash: bool,
    /// What clients of the rules' own namespace see.
    own: FxHashMap<&'m str, Hosts<'m, 'a>>,
    /// What clients of other namespaces may see.
    exported: FxHashMap<&'m str, Hosts<'m, 'a>>,
    /// The private rules of the root namespace.
    root_private: Hosts<'m, 'a>,
}

impl<'m, 'a> Destinations<'m, 'a> {
    /// Merges and indexes the rules, and what asks for TLS by other means.
    pub fn new(mesh: &'m Mesh<'a>, others: Vec<BackendRule<'m>>) -> Self {
        let mut levels = mesh
            .all::<DestinationRule<'a>>()
            .flat_map(|rule| rule.body.policy_levels());
        let mut destinations = Self {
            root_namespace: &mesh.settings.root_namespace,
            hash: levels.any(|level| {
                level
                    .load_balancer
                    .is_some_and(|balancer| balancer.consistent_hash.is_some())
            }),
            ..Self::default()
        };
        let rules = mesh.all::<DestinationRule<'a>>();
        let rules = rules.filter(|rule| rule.header.cluster == 0).map(|rule| {
            let header = rule.header;
            let created = header.created.map_or(UNDATED, |created| created.as_str());
            (created, Str::new(header.name.as_str()), lower(mesh, rule))
        });
        let others = others.into_iter();
        let others = others.map(|rule| (rule.created, rule.name.clone(), MergedRule::from(rule)));
        let mut rules: Vec<_> = rules.chain(others).collect();
        rules.sort_by(|(age, name, rule), (other_age, other_name, other)| {
            let key = (rule.selector.is_none(), *age, name, rule.namespace);
            key.cmp(&(other.selector.is_none(), *other_age, other_name, other.namespace))
        });
        for (_, _, rule) in rules {
            destinations.add(mesh, rule);
        }
        destinations
    }

    fn add(&mut self, mesh: &'m Mesh<'a>, rule: MergedRule<'m, 'a>) {
        let namespace = rule.namespace;
        let exported = &rule.exported;
        if exported.is_empty() || exported.iter().any(|to| matches!(*to, "*" | ".") || *to == namespace) {
            self.own.entry(namespace).or_default().add(rule.clone());
        }
        let private_by_default = || mesh.settings.destination_rule_export_to.iter().any(|to| to == ".");
        let private = match exported.as_slice() {
            [] => private_by_default(),
            [only] => *only == "." || *only == namespace,
            _ => false,
        };
        if !private {
            self.exported.entry(namespace).or_default().add(rule);
        } else if namespace == self.root_namespace {
            self.root_private.add(rule);
        }
    }

    /// The rule that a client follows when it calls a service (catalogue: selection, 6 to 13).
    pub fn rule_for(&self, client: &PodGroup<'m, 'a>, service: &Service<'m, 'a>) -> Option<&MergedRule<'m, 'a>> {
        let visible = self.visible(client.namespace, &service.host, service.namespace);
        let selects = |rule: &&&MergedRule<'m, 'a>| {
            let selector = rule.selector.as_ref().filter(|_| rule.namespace == client.namespace);
            selector.is_some_and(|labels| client.has(labels.iter().copied()))
        };
        let selected = visible.iter().find(selects).copied();
        selected.or_else(|| last_general(&visible))
    }

    /// The rule from which inbound clusters take their connection pool: none with a selector.
    pub fn inbound_rule(&self, service: &Service<'m, 'a>) -> Option<&MergedRule<'m, 'a>> {
        last_general(&self.visible(service.namespace, &service.host, service.namespace))
    }

    /// The rules that clients of a namespace may follow when they call a host: one for all of them, others for some.
    pub fn candidates(&self, client: &str, host: &str, namespace: &str) -> Vec<&MergedRule<'m, 'a>> {
        let visible = self.visible(client, host, namespace);
        let general = last_general(&visible);
        let selecting = visible.into_iter().filter(|rule| rule.selector.is_some());
        selecting.chain(general).collect()
    }

    /// The rules of the first namespace that has some for the host and shows them to the client.
    fn visible(&self, client: &str, host: &str, namespace: &str) -> Vec<&MergedRule<'m, 'a>> {
        let own = if client == self.root_namespace {
            Some(&self.root_private)
        } else {
            self.own.get(client)
        };
        let own: &[_] = own.map_or(&[], |hosts| hosts.of(host));
        if !own.is_empty() {
            return own.iter().collect();
        }
        let exported = |owner: &str| -> Vec<&MergedRule<'m, 'a>> {
            let rules: &[_] = self.exported.get(owner).map_or(&[], |hosts| hosts.of(host));
            rules.iter().filter(|rule| rule.is_shown_to(client)).collect()
        };
        let of_service = exported(namespace);
        if of_service.is_empty() {
            exported(self.root_namespace)
        } else {
            of_service
        }
    }
}

fn last_general<'r, 'm, 'a>(rules: &[&'r MergedRule<'m, 'a>]) -> Option<&'r MergedRule<'m, 'a>> {
    rules.iter().rev().find(|rule| rule.selector.is_none()).copied()
}

/// The rules of one namespace by host.
#[derive(Debug, Default)]
struct Hosts<'m, 'a> {
    exact: FxHashMap<Str, Vec<MergedRule<'m, 'a>>>,
    /// By what follows the `*`.
    wildcards: FxHashMap<Str, Vec<MergedRule<'m, 'a>>>,
}

impl<'m, 'a> Hosts<'m, 'a> {
    fn add(&mut self, rule: MergedRule<'m, 'a>) {
        let rules = match rule.host.strip_prefix('*') {
            Some(suffix) => self.wildcards.entry(Str::new(suffix)).or_default(),
            None => self.exact.entry(rule.host.clone()).or_default(),
        };
        let mut merged = false;
        for older in rules.iter_mut().filter(|older| older.takes_in(&rule)) {
            older.merge(&rule);
            merged = true;
        }
        if !merged {
            rules.push(rule);
        }
    }

    /// The rules of the host itself, else those of the longest wildcard that covers it.
    fn of(&self, host: &str) -> &[MergedRule<'m, 'a>] {
        let (suffixes_of, exact) = match host.strip_prefix('*') {
            Some(suffix) => (suffix, None),
            None => (host, self.exact.get(host)),
        };
        exact.or_else(|| self.covering(suffixes_of)).map_or(&[], Vec::as_slice)
    }

    fn covering(&self, host: &str) -> Option<&Vec<MergedRule<'m, 'a>>> {
        if self.wildcards.is_empty() {
            return None;
        }
        let starts = host.char_indices().map(|(start, _)| start).chain([host.len()]);
        starts.into_iter().find_map(|start| self.wildcards.get(&host[start..]))
    }
}

impl MergedRule<'_, '_> {
    fn is_shown_to(&self, client: &str) -> bool {
        self.exported.is_empty() || self.exported.iter().any(|to| *to == "*" || *to == client)
    }

    /// Whether a younger rule becomes a part of this one: it is shown to no fewer namespaces, and both are for the same
    /// clients or the younger is for all of them.
    fn takes_in(&self, younger: &Self) -> bool {
        let exports = if self.exported.is_empty() {
            younger.exported.is_empty()
        } else {
            self.exported.iter().all(|to| younger.exported.contains(to))
        };
        exports && (younger.selector.is_none() || younger.selector == self.selector)
    }

    fn merge(&mut self, younger: &Self) {
        for subset in &younger.subsets {
            if subset.name.is_some_and(|name| self.subset(name.as_str()).is_none()) {
                self.subsets.push(subset);
            }
        }
        self.traffic_policy = self.traffic_policy.or(younger.traffic_policy);
        self.backend_tls.extend(younger.backend_tls.iter().cloned());
        for span in &younger.origin.0 {
            self.origin.add(*span);
        }
    }
}

fn lower<'m, 'a>(mesh: &'m Mesh<'a>, rule: Object<'m, 'a, DestinationRule<'a>>) -> MergedRule<'m, 'a> {
    let (header, body) = (rule.header, rule.body);
    let namespace = header.namespace.as_str();
    let selector = body.workload_selector.as_deref().map(|selector| {
        let mut labels: Vec<_> = selector.match_labels.iter().collect();
        labels.sort_unstable();
        labels
    });
    let mut exported: Vec<&str> = match selector {
        Some(_) => vec!["."],
        None => body.export_to.iter().map(Text::as_str).collect(),
    };
    exported.sort_unstable();
    exported.dedup();
    let host = body.host.map_or("", |host| host.as_str());
    MergedRule {
        host: Str::from(mesh.host_name(host, namespace).full(mesh)),
        namespace,
        credit: Str::from(format!(
            "/apis/networking.istio.io/v1/namespaces/{namespace}/destination-rule/{}",
            header.name
        )),
        traffic_policy: body.traffic_policy.as_deref(),
        subsets: distinct(&body.subsets),
        selector,
        backend_tls: Vec::new(),
        origin: Origin::of(header.span),
        exported,
    }
}

fn distinct<'m, 'a>(subsets: &'m [Subset<'a>]) -> Vec<&'m Subset<'a>> {
    let mut seen = rustc_hash::FxHashSet::default();
    let named = subsets
        .iter()
        .filter(|subset| subset.name.is_some_and(|name| seen.insert(name.value)));
    named.collect()
}
