//! VirtualServices without hosts, merged into the rules that delegate to them.

use rustc_hash::FxHashMap;

use super::{Lowering, export_to};
use crate::envoy::message::Str;
use crate::envoy::routing::model::{HeaderChanges, HttpMatch, HttpRule, PathMatch, Retries, TextMatch};
use crate::mesh::{ExportTo, Mesh, Object};
use crate::model::istio::{Delegate, VirtualService};
use crate::model::{Header, Text};

/// The rules of VirtualServices without hosts, by namespace and name.
pub(super) struct Delegates<'m> {
    by_name: FxHashMap<(&'m str, &'m str), Shared<'m>>,
}

struct Shared<'m> {
    export_to: ExportTo<'m>,
    rules: Vec<HttpRule>,
}

impl<'m> Delegates<'m> {
    pub(super) fn new<'a: 'm>(
        mesh: &'m Mesh<'a>,
        without_hosts: impl Iterator<Item = Object<'m, 'a, VirtualService<'a>>>,
    ) -> Self {
        let shared = |object: Object<'m, 'a, VirtualService<'a>>| {
            let lowering = Lowering::new(mesh, object.header);
            let shared = Shared {
                export_to: export_to(mesh, object.header, object.body),
                // A delegate that delegates itself is refused.
                rules: (object.body.http.iter())
                    .filter(|rule| rule.delegate.is_none())
                    .map(|rule| lowering.http_rule(rule))
                    .collect(),
            };
            ((object.header.namespace.as_str(), object.header.name.as_str()), shared)
        };
        Self {
            by_name: without_hosts.map(shared).collect(),
        }
    }

    /// The rules that a root's rule comes to.
    pub(super) fn merged(&self, root: &HttpRule, delegate: &Delegate<'_>, header: &Header<'_>) -> Vec<HttpRule> {
        let own = header.namespace.as_str();
        let written = delegate
            .namespace
            .as_ref()
            .map(Text::as_str)
            .filter(|namespace| !namespace.is_empty());
        let name = delegate.name.as_ref().map_or("", Text::as_str);
        let found = self.by_name.get(&(written.unwrap_or(own), name));
        let visible = found.filter(|shared| shared.export_to.admits(own));
        let rules = visible.map_or(&[][..], |shared| &shared.rules);
        rules.iter().filter_map(|rule| merge(root, rule)).collect()
    }
}

/// A delegate's rule under a root's: matches are joined pair by pair, and what the delegate leaves open the root fills.
/// None where a match of the delegate fits no match of the root (catalogue: routes, 51).
fn merge(root: &HttpRule, rule: &HttpRule) -> Option<HttpRule> {
    let mut merged = rule.clone();
    merged.matches = merge_matches(&root.matches, &rule.matches)?;
    merged.name = join_names(&root.name, &rule.name);
    merged.rewrite = rule.rewrite.clone().or_else(|| root.rewrite.clone());
    merged.timeout = rule.timeout.clone().or_else(|| root.timeout.clone());
    merged.cors = rule.cors.clone().or_else(|| root.cors.clone());
    merged.fault = rule.fault.clone().or_else(|| root.fault.clone());
    if matches!(rule.retries, Retries::Mesh) {
        merged.retries = root.retries.clone();
    }
    if rule.mirrors.is_empty() {
        merged.mirrors.clone_from(&root.mirrors);
    }
    if rule.headers.is_empty() {
        merged.headers = root.headers.clone();
    }
    root.origin.0.iter().for_each(|span| merged.origin.add(*span));
    Some(merged)
}

fn join_names(root: &Str, rule: &Str) -> Str {
    match (root.is_empty(), rule.is_empty()) {
        (true, _) => rule.clone(),
        (false, true) => root.clone(),
        (false, false) => Str::from(format!("{root}-{rule}")),
    }
}

fn merge_matches(root: &[HttpMatch], delegate: &[HttpMatch]) -> Option<Vec<HttpMatch>> {
    if root.is_empty() || delegate.is_empty() {
        return Some([root, delegate].concat());
    }
    let mut merged = Vec::new();
    for inner in delegate {
        let before = merged.len();
        merged.extend(
            root.iter()
                .filter(|outer| outer.leaves_room_for(inner))
                .map(|outer| outer.joined(inner)),
        );
        if merged.len() == before {
            return None;
        }
    }
    Some(merged)
}

impl HttpMatch {
    /// Whether a delegate's match may narrow this one.
    fn leaves_room_for(&self, inner: &Self) -> bool {
        let path = match (&self.path, &inner.path) {
            (Some(outer), Some(inner)) => outer.leaves_room_for(inner),
            _ => true,
        };
        let texts = [
            (&self.method, &inner.method),
            (&self.authority, &inner.authority),
            (&self.scheme, &inner.scheme),
        ];
        let text = |(outer, inner): (&Option<TextMatch>, &Option<TextMatch>)| match (outer, inner) {
            (Some(outer), Some(inner)) => outer.leaves_room_for(inner),
            _ => true,
        };
        let named = |outer: &[(Str, TextMatch)], inner: &[(Str, TextMatch)]| {
            inner
                .iter()
                .all(|(name, condition)| find(outer, name).is_none_or(|outer| outer.leaves_room_for(condition)))
        };
        path && texts.into_iter().all(text)
            && named(&self.headers, &inner.headers)
            && named(&self.without_headers, &inner.without_headers)
            && named(&self.query, &inner.query)
            && self.ignore_case == inner.ignore_case
            && (self.port.is_none() || inner.port.is_none() || self.port == inner.port)
            && self.admits_source(inner)
    }

    fn admits_source(&self, inner: &Self) -> bool {
        let namespace = match (&self.source_namespace, &inner.source_namespace) {
            (Some(outer), Some(inner)) => outer == inner,
            _ => true,
        };
        let known = |label: &(Str, Str)| self.source_labels.contains(label);
        let gateway = |gateway: &Str| self.gateways.contains(gateway);
        namespace
            && inner.source_labels.iter().all(known)
            && (self.gateways.is_empty() || inner.gateways.iter().all(gateway))
    }

    /// Both at once.
    fn joined(&self, inner: &Self) -> Self {
        let list = |outer: &[(Str, TextMatch)], inner: &[(Str, TextMatch)]| -> Vec<(Str, TextMatch)> {
            let kept = outer.iter().filter(|(name, _)| find(inner, name).is_none());
            kept.chain(inner).cloned().collect()
        };
        let mut source_labels = self.source_labels.clone();
        source_labels.extend(
            inner
                .source_labels
                .iter()
                .filter(|label| !self.source_labels.contains(label))
                .cloned(),
        );
        let mut origin = inner.origin.clone();
        self.origin.0.iter().for_each(|span| origin.add(*span));
        Self {
            name: join_names(&self.name, &inner.name),
            path: inner.path.clone().or_else(|| self.path.clone()),
            ignore_case: inner.ignore_case,
            method: inner.method.clone().or_else(|| self.method.clone()),
            authority: inner.authority.clone().or_else(|| self.authority.clone()),
            scheme: inner.scheme.clone().or_else(|| self.scheme.clone()),
            headers: list(&self.headers, &inner.headers),
            without_headers: list(&self.without_headers, &inner.without_headers),
            query: list(&self.query, &inner.query),
            port: inner.port.or(self.port),
            source_labels,
            source_namespace: inner.source_namespace.clone().or_else(|| self.source_namespace.clone()),
            gateways: if inner.gateways.is_empty() {
                &self.gateways
            } else {
                &inner.gateways
            }
            .clone(),
            stat_prefix: if inner.stat_prefix.is_empty() {
                &self.stat_prefix
            } else {
                &inner.stat_prefix
            }
            .clone(),
            origin,
        }
    }
}

fn find<'l>(list: &'l [(Str, TextMatch)], name: &str) -> Option<&'l TextMatch> {
    list.iter()
        .find(|(known, _)| known == name)
        .map(|(_, condition)| condition)
}

impl PathMatch {
    /// Whether the other path may lie within this one. Nothing is known of regular expressions.
    fn leaves_room_for(&self, inner: &Self) -> bool {
        match (self, inner) {
            (Self::Exact(outer), Self::Exact(inner)) => outer == inner,
            (Self::Regex(_) | Self::Exact(_), _) | (_, Self::Regex(_)) => false,
            (
                Self::Prefix(outer) | Self::Segments(outer),
                Self::Exact(inner) | Self::Prefix(inner) | Self::Segments(inner),
            ) => inner.starts_with(outer.as_str()),
        }
    }
}

impl TextMatch {
    fn leaves_room_for(&self, inner: &Self) -> bool {
        match (self, inner) {
            (Self::Present, _) | (_, Self::Present) => true,
            (Self::Exact(outer), Self::Exact(inner)) => outer == inner,
            (Self::Regex(_), _) | (_, Self::Regex(_)) | (Self::Exact(_), Self::Prefix(_)) => false,
            (Self::Prefix(outer), Self::Exact(inner) | Self::Prefix(inner)) => inner.starts_with(outer.as_str()),
        }
    }
}

impl HeaderChanges {
    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        let Self {
            request,
            request_remove,
            response,
            response_remove,
            host,
        } = self;
        request.is_empty()
            && request_remove.is_empty()
            && response.is_empty()
            && response_remove.is_empty()
            && host.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(path: &str) -> HttpMatch {
        HttpMatch {
            path: Some(PathMatch::Prefix(Str::new(path))),
            ..HttpMatch::default()
        }
    }

    #[test]
    fn every_match_of_a_delegate_must_fit_one_of_the_root() {
        let root = [prefix("/api"), prefix("/v2")];
        let fits = merge_matches(&root, &[prefix("/api/users"), HttpMatch::default()]);
        assert_eq!(fits.map(|matches| matches.len()), Some(3));
        assert!(merge_matches(&root, &[prefix("/api/users"), prefix("/other")]).is_none());
        assert_eq!(
            merge_matches(&[], &[prefix("/x")]).map(|matches| matches.len()),
            Some(1)
        );
    }

    #[test]
    fn names_are_joined_where_both_have_one() {
        let (root, none) = (Str::new("root"), Str::default());
        assert_eq!(join_names(&root, &Str::new("leaf")), "root-leaf");
        assert_eq!(join_names(&root, &none), "root");
        assert_eq!(join_names(&none, &none), "");
    }
}
