//! What a version of a kind allows.
//!
//! Takes the tree of one document and hands on [`Violation`]s: fields that do not exist and values of the wrong type. The
//! JSON Schemas under `schemas/` are the source, and CustomResourceDefinitions of the input in their place; they are
//! compiled on first use. Knows nothing of other documents.

mod cel;
mod check;
mod crd;
mod embedded;
mod format;
mod nearest;
pub mod proto;
mod shape;
mod violation;
mod walk;

use std::sync::OnceLock;

pub use check::Refuser;
pub use crd::{Definitions, read as read_definition};
pub use embedded::Embedded;
pub use format::Form;
pub use nearest::{nearest, same_but_for_style};
pub use violation::{Found, Violation, ViolationKind};

use rustc_hash::FxHashMap;

use crate::values::minor::Minor;
use crate::yaml::Node;
use embedded::{ALL, CONFIGURATIONS};
use shape::Shapes;

/// The structure of one kind in all its versions.
#[derive(Debug)]
pub struct Schema {
    /// Served `apiVersion`s, the newest first.
    pub versions: Vec<String>,
    /// Whether its resources live in a namespace.
    pub namespaced: bool,
    /// Versions that came after the kind, each with the minor of Istio that brings it.
    version_since: Vec<(String, Minor)>,
    shapes: Shapes,
}

impl Schema {
    /// What is wrong with the structure of a document of this kind, for a minor of Istio.
    pub fn check(&self, root: Node<'_, '_>, minor: Minor, violations: &mut Vec<Violation>) {
        walk::walk(&self.shapes, root, minor, violations);
        let version = root.get("apiVersion");
        let text = version.and_then(Node::text).unwrap_or_default();
        let late = self
            .version_since
            .iter()
            .find(|(name, since)| name == text && *since > minor);
        if let Some((node, (name, since))) = version.zip(late) {
            let kind = ViolationKind::TooNew {
                name: name.clone(),
                since: *since,
                is_word: true,
            };
            violations.push(Violation {
                span: node.span(),
                kind,
            });
        }
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

/// The schemas of a kind, of any group or of one. The mesh configuration has one too.
pub fn published(kind: &str, group: Option<&str>) -> Vec<&'static Embedded> {
    let wanted = |entry: &&Embedded| entry.kind == kind && group.is_none_or(|group| group == entry.group);
    ALL.iter().chain(CONFIGURATIONS).filter(wanted).collect()
}

/// The kind with the nearest name.
pub fn nearest_kind(kind: &str) -> Option<&'static str> {
    nearest(kind, ALL.iter().chain(CONFIGURATIONS).map(|entry| entry.kind))
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

/// The schema of settings that are no resource: `MeshConfig` or `MeshNetworks`.
pub fn configuration(kind: &str) -> Option<&'static Schema> {
    static COMPILED: [OnceLock<Schema>; CONFIGURATIONS.len()] = [const { OnceLock::new() }; CONFIGURATIONS.len()];
    let index = CONFIGURATIONS.iter().position(|entry| entry.kind == kind)?;
    Some(COMPILED[index].get_or_init(|| compile(&CONFIGURATIONS[index])))
}

/// Schemas are compiled once for the process, and only those of the kinds that are met.
fn compiled(index: usize) -> &'static Schema {
    static COMPILED: [OnceLock<Schema>; ALL.len()] = [const { OnceLock::new() }; ALL.len()];
    COMPILED[index].get_or_init(|| compile(&ALL[index]))
}

fn compile(embedded: &Embedded) -> Schema {
    let json: serde_json::Value = serde_json::from_str(embedded.json).expect("the schemas are tested to be JSON");
    let texts = json["properties"]["apiVersion"]["enum"].as_array();
    let since = json["x-version-since"].as_object();
    Schema {
        versions: texts
            .into_iter()
            .flatten()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect(),
        namespaced: json["x-scope"] != "Cluster",
        version_since: since
            .into_iter()
            .flatten()
            .filter_map(|(version, since)| Some((version.clone(), Minor::parse(since.as_str()?)?)))
            .collect(),
        shapes: Shapes::compile(&json, refuser(&json)),
    }
}

/// Who does not take what breaks the schema of a kind.
fn refuser(json: &serde_json::Value) -> Refuser {
    match json["x-group"].as_str() {
        None => Refuser::Istiod,
        Some(group)
            if group.ends_with(".istio.io") || group.starts_with("gateway.") || group.starts_with("inference.") =>
        {
            Refuser::Crd
        }
        Some(_) => Refuser::ApiServer,
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

    /// Keywords that are compiled, and those that say nothing about values.
    const KEYWORDS: [&str; 37] = [
        "$ref",
        "additionalProperties",
        "allOf",
        "const",
        "else",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "if",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "not",
        "oneOf",
        "pattern",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "then",
        "type",
        "uniqueItems",
        "default",
        "deprecated",
        "description",
        "$defs",
        "$id",
        "$schema",
        "title",
        "x-",
    ];

    /// Calls `visit` for every schema inside a schema.
    fn every(json: &serde_json::Value, visit: &mut dyn FnMut(&serde_json::Map<String, serde_json::Value>)) {
        let Some(fields) = json.as_object() else { return };
        visit(fields);
        for (keyword, value) in fields {
            match (keyword.as_str(), value) {
                ("properties" | "$defs", serde_json::Value::Object(named)) => {
                    named.values().for_each(|value| every(value, visit));
                }
                ("allOf" | "prefixItems", serde_json::Value::Array(all)) => {
                    all.iter().for_each(|value| every(value, visit));
                }
                ("items" | "additionalProperties" | "propertyNames" | "if" | "then" | "else" | "not", _) => {
                    every(value, visit);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn every_keyword_and_format_is_understood() {
        let later = ["date-time", "double", "int64"];
        for entry in ALL.iter().chain(CONFIGURATIONS) {
            let json: serde_json::Value = serde_json::from_str(entry.json).expect("a schema is JSON");
            every(&json, &mut |schema| {
                for keyword in schema.keys() {
                    let known = KEYWORDS.contains(&keyword.as_str()) || keyword.starts_with("x-");
                    assert!(known, "{}: `{keyword}` is not compiled", entry.kind);
                }
                if let Some(format) = schema.get("format").and_then(serde_json::Value::as_str) {
                    let known = later.contains(&format) || format::Format::from_name(format).is_some();
                    assert!(known, "{}: no format is called `{format}`", entry.kind);
                }
                let pattern = schema.get("pattern").and_then(serde_json::Value::as_str);
                assert!(
                    pattern.is_none_or(|pattern| regex::Regex::new(pattern).is_ok()),
                    "{pattern:?}"
                );
                for keyword in schema
                    .get("x-webhook")
                    .and_then(|list| list.as_array())
                    .into_iter()
                    .flatten()
                {
                    let keyword = keyword
                        .as_str()
                        .and_then(|word| word.split(':').next())
                        .unwrap_or_default();
                    assert!(
                        schema.contains_key(keyword),
                        "{}: x-webhook names `{keyword}`",
                        entry.kind
                    );
                }
            });
        }
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
