//! What a version of a kind allows.
//!
//! Takes the tree of one document and hands on [`Violation`]s: fields that do not exist and values of the wrong type. The
//! JSON Schemas under `schemas/` are the source, and CustomResourceDefinitions of the input in their place; they are
//! compiled on first use. Knows nothing of other documents.

mod cel;
mod crd;
mod embedded;
mod nearest;
mod shape;
mod walk;

use std::sync::OnceLock;

pub use crd::{Definitions, read as read_definition};
pub use nearest::{nearest, same_but_for_style};
pub use walk::{Found, Violation, ViolationKind};

use rustc_hash::FxHashMap;

use crate::yaml::Node;
use embedded::{ALL, Embedded};
use shape::Shapes;

/// The structure of one kind in all its versions.
#[derive(Debug)]
pub struct Schema {
    /// Served `apiVersion`s, the newest first.
    pub versions: Vec<String>,
    /// Whether its resources live in a namespace.
    pub namespaced: bool,
    shapes: Shapes,
}

impl Schema {
    /// What is wrong with the structure of a document of this kind.
    pub fn check(&self, root: Node<'_, '_>, violations: &mut Vec<Violation>) {
        walk::walk(&self.shapes, root, violations);
    }
}

/// What is known of an `apiVersion` and a kind.
#[derive(Debug)]
pub enum Known<'s> {
    /// The kind in this version.
    Kind(&'s Schema),
    /// It does not exist.
    Missing(Missing),
    /// A group that meshlint does not judge.
    Foreign,
}

/// A version or a kind that does not exist.
#[derive(Debug)]
pub enum Missing {
    /// The kind is known, this version of it is not.
    Version {
        /// The `apiVersion`s that are served, the newest first.
        served: Vec<String>,
    },
    /// The group is one of Istio's or the Gateway API's, and has no such kind.
    Kind {
        /// The kind of that group with the nearest name.
        nearest: Option<&'static str>,
        /// Groups that have a kind of this very name.
        elsewhere: Option<&'static str>,
    },
}

/// Whether all kinds and versions of a group are known, so that one not listed does not exist: Istio's and the Gateway
/// API's.
pub fn is_judged(group: &str) -> bool {
    group.ends_with(".istio.io") && group != "install.istio.io" || group == "gateway.networking.k8s.io"
}

/// Looks up a kind by its `apiVersion` and name: in the first definitions that have it, or in our own schemas.
pub fn lookup<'s>(definitions: [&'s Definitions; 2], api_version: &str, kind: &str) -> Known<'s> {
    let group = group(api_version);
    let mut defined = definitions.into_iter();
    if let Some(known) = defined.find_map(|defined| defined.lookup(group, api_version, kind)) {
        return known;
    }
    if let Some(&index) = by_name().get(&(group, kind)) {
        let schema = compiled(index);
        let served = schema.versions.iter().any(|version| version == api_version);
        return if served {
            Known::Kind(schema)
        } else if is_judged(group) {
            let served = schema.versions.clone();
            Known::Missing(Missing::Version { served })
        } else {
            // Kubernetes' own versions are the matter of other tools.
            Known::Foreign
        };
    }
    if !is_judged(group) {
        return Known::Foreign;
    }
    let siblings = ALL.iter().filter(|entry| entry.group == group).map(|entry| entry.kind);
    let elsewhere = ALL
        .iter()
        .find(|entry| entry.kind == kind && is_judged(entry.group))
        .map(|entry| entry.group);
    Known::Missing(Missing::Kind {
        nearest: nearest(kind, siblings),
        elsewhere,
    })
}

/// The places of the kinds in [`ALL`].
fn by_name() -> &'static FxHashMap<(&'static str, &'static str), usize> {
    static BY_NAME: OnceLock<FxHashMap<(&str, &str), usize>> = OnceLock::new();
    BY_NAME.get_or_init(|| {
        ALL.iter()
            .enumerate()
            .map(|(index, entry)| ((entry.group, entry.kind), index))
            .collect()
    })
}

/// The group of an `apiVersion`: what stands before the slash, nothing for the core group.
pub fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// Schemas are compiled once for the process, and only those of the kinds that are met.
fn compiled(index: usize) -> &'static Schema {
    static COMPILED: [OnceLock<Schema>; ALL.len()] = [const { OnceLock::new() }; ALL.len()];
    COMPILED[index].get_or_init(|| compile(&ALL[index]))
}

fn compile(embedded: &Embedded) -> Schema {
    let json: serde_json::Value = serde_json::from_str(embedded.json).expect("the schemas are tested to be JSON");
    let texts = json["properties"]["apiVersion"]["enum"].as_array();
    Schema {
        versions: texts
            .into_iter()
            .flatten()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect(),
        namespaced: json["x-scope"] != "Cluster",
        shapes: Shapes::compile(&json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_compiles_and_names_its_kind() {
        for (index, entry) in ALL.iter().enumerate() {
            let json: serde_json::Value = serde_json::from_str(entry.json).expect("a schema is JSON");
            assert_eq!(json["title"], entry.kind);
            assert_eq!(json["x-group"], entry.group, "{}", entry.kind);
            assert!(!compiled(index).versions.is_empty(), "{} has versions", entry.kind);
            jsonschema::meta::validate(&json).unwrap_or_else(|error| panic!("{}: {error}", entry.kind));
        }
    }

    fn lookup(api_version: &str, kind: &str) -> Known<'static> {
        static NONE: OnceLock<Definitions> = OnceLock::new();
        let none = NONE.get_or_init(Definitions::default);
        super::lookup([none, none], api_version, kind)
    }

    #[test]
    fn kinds_and_versions_are_told_apart() {
        assert!(matches!(
            lookup("networking.istio.io/v1", "VirtualService"),
            Known::Kind(_)
        ));
        assert!(matches!(
            lookup("networking.istio.io/v1alpha9", "VirtualService"),
            Known::Missing(Missing::Version { .. })
        ));
        let Known::Missing(Missing::Kind { nearest, .. }) = lookup("networking.istio.io/v1", "VirtualServices") else {
            panic!("the group has no such kind")
        };
        assert_eq!(nearest, Some("VirtualService"));
        assert!(matches!(lookup("example.com/v1", "Thing"), Known::Foreign));
        assert!(matches!(lookup("v1", "Service"), Known::Kind(_)));
    }
}
