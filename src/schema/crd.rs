//! CustomResourceDefinitions of the input: they replace our schemas for their kinds.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use super::shape::Shapes;
use super::{Known, Missing, Refuser, Schema};
use crate::yaml::{Node, Scalar};

/// Definitions by kind.
#[derive(Debug, Default)]
pub struct Definitions {
    by_kind: FxHashMap<String, Vec<Definition>>,
}

#[derive(Debug)]
struct Definition {
    group: String,
    namespaced: bool,
    /// What is served, the newest first.
    versions: Vec<Version>,
    /// The input has another definition of the kind: which of them holds is not known.
    contested: bool,
}

#[derive(Debug)]
struct Version {
    /// With the group, as `apiVersion` has it.
    full_name: String,
    json: Value,
    schema: OnceLock<Schema>,
}

impl Definitions {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_kind.is_empty()
    }

    /// Adds what a definition, as [`read`] gives it, defines.
    pub fn add(&mut self, definition: &Value) {
        let spec = &definition["spec"];
        let (Some(group), Some(kind)) = (spec["group"].as_str(), spec["names"]["kind"].as_str()) else {
            return;
        };
        let Some(new) = Definition::read(group, spec) else {
            return;
        };
        let all = self.by_kind.entry(kind.to_owned()).or_default();
        match all.iter_mut().find(|known| known.group == group) {
            Some(known) => known.contested |= !known.is_same(&new),
            None => all.push(new),
        }
    }

    /// What is known of a kind by its definition, if there is one.
    pub fn lookup(&self, group: &str, api_version: &str, kind: &str) -> Option<Known<'_>> {
        let mut all = self.by_kind.get(kind)?.iter();
        let definition = all.find(|definition| definition.group == group && !definition.contested)?;
        let found = definition
            .versions
            .iter()
            .find(|version| version.full_name == api_version);
        Some(match found {
            Some(version) => Known::Kind(version.schema.get_or_init(|| version.compile(definition.namespaced))),
            None => Known::Missing(Missing::Version {
                served: definition
                    .versions
                    .iter()
                    .map(|version| version.full_name.clone())
                    .collect(),
            }),
        })
    }
}

impl Definition {
    /// `None` for a definition without schemas: a patch, or one of old.
    fn read(group: &str, spec: &Value) -> Option<Self> {
        let listed = spec["versions"].as_array()?;
        let mut versions = Vec::new();
        for version in listed {
            let (name, schema) = (version["name"].as_str()?, &version["schema"]["openAPIV3Schema"]);
            if !schema.is_object() {
                return None;
            }
            if version["served"] == true {
                versions.push((name, schema));
            }
        }
        versions.sort_by_key(|(name, _)| std::cmp::Reverse(age(name)));
        let versions = versions.into_iter().map(|(name, schema)| Version {
            full_name: format!("{group}/{name}"),
            json: object(schema),
            schema: OnceLock::new(),
        });
        Some(Self {
            group: group.to_owned(),
            namespaced: spec["scope"] != "Cluster",
            versions: versions.collect(),
            contested: false,
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let same = |(a, b): (&Version, &Version)| a.full_name == b.full_name && a.json == b.json;
        self.versions.len() == other.versions.len() && self.versions.iter().zip(&other.versions).all(same)
    }
}

impl Version {
    fn compile(&self, namespaced: bool) -> Schema {
        Schema {
            versions: vec![self.full_name.clone()],
            namespaced,
            version_since: Vec::new(),
            shapes: Shapes::compile(&self.json, Refuser::Crd),
        }
    }
}

/// The place of a version among others as Kubernetes sorts them: `v2`, `v1`, `v1beta2`, `v1alpha1`, other names.
fn age(name: &str) -> (u8, u32, u32) {
    let number = |text: &str| text.parse::<u32>().ok();
    let Some(rest) = name.strip_prefix('v') else {
        return (0, 0, 0);
    };
    let parts = [("beta", 2), ("alpha", 1)].into_iter().find_map(|(word, rank)| {
        let (major, minor) = rest.split_once(word)?;
        Some((rank, number(major)?, number(minor)?))
    });
    parts.or_else(|| Some((3, number(rest)?, 0))).unwrap_or_default()
}

/// More levels and nodes than any definition has.
const DEEPEST: u32 = 200;
const LARGEST: u32 = 500_000;

/// A definition as JSON; `None` for another object, and for one that is too large.
pub fn read(root: Node<'_, '_>) -> Option<Value> {
    let text = |key| root.get(key).and_then(Node::text);
    let is_definition =
        text("apiVersion") == Some("apiextensions.k8s.io/v1") && text("kind") == Some("CustomResourceDefinition");
    let mut left = LARGEST;
    if is_definition {
        to_json(root, 0, &mut left)
    } else {
        None
    }
}

fn to_json(node: Node<'_, '_>, level: u32, left: &mut u32) -> Option<Value> {
    *left = left.checked_sub(1)?;
    if level > DEEPEST {
        return None;
    }
    if node.is_mapping() {
        let fields = node
            .entries()
            .map(|(key, value)| Some((key.key().into_owned(), to_json(value, level + 1, left)?)));
        return fields.collect::<Option<Map<_, _>>>().map(Value::Object);
    }
    if node.is_sequence() {
        let items = node.items().map(|item| to_json(item, level + 1, left));
        return items.collect::<Option<Vec<_>>>().map(Value::Array);
    }
    Some(match node.scalar() {
        None | Some(Scalar::Null) => Value::Null,
        Some(Scalar::Bool(value)) => value.into(),
        Some(Scalar::Int(value)) => value.into(),
        Some(Scalar::Float(value)) => value.into(),
        Some(Scalar::Text(text)) => text.into(),
    })
}

/// The schema of a whole object, or of one that is embedded in another.
fn object(schema: &Value) -> Value {
    let mut out = structural(schema);
    let name = &schema["properties"]["metadata"]["properties"]["name"];
    let name = if name.is_object() {
        Value::Object(structural(name))
    } else {
        json!({"type": "string"})
    };
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let metadata = json!({
        "type": "object",
        "properties": {"name": name, "namespace": {"type": "string"}, "labels": texts, "annotations": texts},
        "additionalProperties": true,
    });
    let own = [
        ("apiVersion", json!({"type": "string"})),
        ("kind", json!({"type": "string"})),
        ("metadata", metadata),
    ];
    if let Some(fields) = out.entry("properties").or_insert_with(|| json!({})).as_object_mut() {
        fields.extend(own.map(|(name, field)| (name.to_owned(), field)));
    }
    Value::Object(out)
}

/// A node of a structural schema in the words of our own: what the definition does not name is pruned, unless it says
/// otherwise.
fn structural(schema: &Value) -> Map<String, Value> {
    let mut out = constraints(schema);
    let is = |key: &str| schema[key] == true;
    let mut types: Vec<Value> = match &schema["type"] {
        _ if is("x-kubernetes-int-or-string") => vec!["integer".into(), "string".into()],
        Value::String(name) => vec![name.as_str().into()],
        _ => Vec::new(),
    };
    if is("nullable") && !types.is_empty() {
        types.push("null".into());
    }
    if !types.is_empty() {
        out.insert("type".into(), types.into());
    }
    let child = |schema: &Value| {
        if schema["x-kubernetes-embedded-resource"] == true {
            object(schema)
        } else {
            Value::Object(structural(schema))
        }
    };
    if let Some(fields) = schema["properties"].as_object() {
        let fields = fields.iter().map(|(name, field)| (name.clone(), child(field)));
        out.insert("properties".into(), Value::Object(fields.collect()));
    }
    if schema["items"].is_object() {
        out.insert("items".into(), child(&schema["items"]));
    }
    let rest = match &schema["additionalProperties"] {
        each @ Value::Object(_) => child(each),
        Value::Bool(open) => Value::Bool(*open),
        _ => Value::Bool(schema["type"] != "object" || is("x-kubernetes-preserve-unknown-fields")),
    };
    out.insert("additionalProperties".into(), rest);
    out
}

/// Keywords that say where fields are, or that are no demand.
const OTHERS: [&str; 8] = [
    "$ref",
    "additionalProperties",
    "description",
    "example",
    "items",
    "properties",
    "title",
    "type",
];

/// What a node demands beyond its structure.
fn constraints(schema: &Value) -> Map<String, Value> {
    let fields = schema.as_object().into_iter().flatten();
    let kept = fields.filter(|(key, _)| !OTHERS.contains(&key.as_str()));
    let mut out: Map<String, Value> = kept.map(|(key, value)| (key.clone(), value.clone())).collect();
    for junctor in ["allOf", "anyOf", "oneOf"] {
        if let Some(Value::Array(parts)) = out.get_mut(junctor) {
            parts.iter_mut().for_each(|part| *part = demand(part));
        }
    }
    if let Some(not) = out.get_mut("not") {
        *not = demand(not);
    }
    // In OpenAPI these are switches of `minimum` and `maximum`.
    for (switch, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if out.remove(switch) == Some(Value::Bool(true))
            && let Some(value) = out.remove(bound)
        {
            out.insert(switch.into(), value);
        }
    }
    out
}

/// A part of `allOf` and the like: it demands something of fields and does not say which there are.
fn demand(schema: &Value) -> Value {
    let mut out = constraints(schema);
    if let Some(fields) = schema["properties"].as_object() {
        let fields = fields.iter().map(|(name, field)| (name.clone(), demand(field)));
        out.insert("properties".into(), Value::Object(fields.collect()));
    }
    for key in ["items", "additionalProperties"] {
        if schema[key].is_object() {
            out.insert(key.into(), demand(&schema[key]));
        }
    }
    if schema["type"].is_string() {
        out.insert("type".into(), schema["type"].clone());
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Violation, ViolationKind};
    use crate::source::Sources;

    const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: quotas.shop.example}
spec:
  group: shop.example
  names: {kind: Quota, plural: quotas}
  scope: Cluster
  versions:
  - {name: v1alpha1, served: false, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1beta1, served: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              most: {type: integer, minimum: 0, exclusiveMinimum: true}
              size: {x-kubernetes-int-or-string: true}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}
              closed: {type: object}
              labels: {type: object, additionalProperties: {type: string}}
              template: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {$ref: '#/nowhere', type: object}}}
            anyOf: [{required: [most]}, {required: [size]}]
";

    fn definitions(texts: &[&str]) -> Definitions {
        let mut definitions = Definitions::default();
        for text in texts {
            let sources = Sources::from_texts([("crd.yaml", *text)]);
            for document in crate::yaml::parse(&sources.files[0]) {
                let found = document.tree.root().and_then(read);
                found.iter().for_each(|definition| definitions.add(definition));
            }
        }
        definitions
    }

    fn violations(definitions: &Definitions, text: &str) -> Vec<ViolationKind> {
        let sources = Sources::from_texts([("a.yaml", text)]);
        let documents = crate::yaml::parse(&sources.files[0]);
        let root = documents[0].tree.root().expect("there is a document");
        let api_version = root.get("apiVersion").and_then(Node::text).expect("it has a version");
        let Some(Known::Kind(schema)) = definitions.lookup("shop.example", api_version, "Quota") else {
            panic!("{api_version} is served")
        };
        assert!(!schema.namespaced);
        let mut violations: Vec<Violation> = Vec::new();
        schema.check(root, crate::values::minor::Minor::NEWEST, &mut violations);
        violations.into_iter().map(|violation| violation.kind).collect()
    }

    fn unknown(name: &str) -> ViolationKind {
        ViolationKind::UnknownField {
            name: name.into(),
            nearest: None,
            refuser: Refuser::Crd,
        }
    }

    #[test]
    fn structure_is_that_of_the_definition() {
        let definitions = definitions(&[CRD]);
        let good = "apiVersion: shop.example/v1
kind: Quota
metadata: {name: a, labels: {a: b}, finalizers: [x]}
spec: {most: 1, size: 1, open: {a: b, c: 1}, labels: {a: b}, template: {kind: A, metadata: {name: b}, spec: {}}}
";
        assert_eq!(violations(&definitions, good), []);
        let text = "apiVersion: shop.example/v1
spec: {size: a, more: 1, closed: {a: 1}, template: {spec: {b: 1}}, open: {a: 1}}
";
        let found = violations(&definitions, text);
        for name in ["more", "a", "b"] {
            assert!(found.contains(&unknown(name)), "{name}: {found:?}");
        }
        assert!(
            found
                .iter()
                .any(|kind| matches!(kind, ViolationKind::Mistyped { field, .. } if field == "a"))
        );
        assert_eq!(
            violations(&definitions, "apiVersion: shop.example/v1beta1\nanything: 1\n"),
            []
        );
    }

    #[test]
    fn one_of_several_sets_of_fields_is_needed() {
        let branches = "[{required: [every, limit]}, {required: [every, step]}]";
        let crd = CRD
            .replace("[{required: [most]}, {required: [size]}]", branches)
            .replace("anyOf", "oneOf");
        let crd = crd.replace(
            "most: {",
            "every: {type: string}\n              limit: {}\n              step: {}\n              most: {",
        );
        let definitions = definitions(&[&crd]);
        let judged = |fields: &str| {
            let text = format!("apiVersion: shop.example/v1\nkind: Quota\nspec: {{every: 1s{fields}}}\n");
            let of_alternatives = |kind: &ViolationKind| match kind {
                ViolationKind::Alternatives { none_fits, .. } => Some(*none_fits),
                _ => None,
            };
            violations(&definitions, &text).iter().find_map(of_alternatives)
        };
        assert_eq!(judged(", limit: 1"), None);
        assert_eq!(judged(", step: 1"), None);
        assert_eq!(judged(""), Some(true));
        assert_eq!(judged(", limit: 1, step: 1"), Some(false));
    }

    #[test]
    fn versions_are_those_that_are_served() {
        let definitions = definitions(&[CRD]);
        let lookup = |group: &str, version: &str, kind: &str| definitions.lookup(group, version, kind);
        let Some(Known::Missing(Missing::Version { served })) =
            lookup("shop.example", "shop.example/v1alpha1", "Quota")
        else {
            panic!("v1alpha1 is not served")
        };
        assert_eq!(served, ["shop.example/v1", "shop.example/v1beta1"]);
        assert!(lookup("other.example", "other.example/v1", "Quota").is_none());
        assert!(lookup("shop.example", "shop.example/v1", "Other").is_none());
    }

    #[test]
    fn definitions_that_contradict_each_other_say_nothing() {
        let other = CRD.replace("minimum: 0", "minimum: 1");
        let found = |texts: &[&str]| {
            definitions(texts)
                .lookup("shop.example", "shop.example/v1", "Quota")
                .is_some()
        };
        assert!(found(&[CRD, CRD]));
        assert!(!found(&[CRD, &other]));
    }

    #[test]
    fn what_is_no_definition_is_passed_over() {
        let links: String = (1..300).map(|n| format!("  l{n}: &l{n} [*l{}]\n", n - 1)).collect();
        let deep = format!("{CRD}  l0: &l0 [1]\n{links}");
        let patch = CRD.replace("openAPIV3Schema", "other");
        let old = CRD.replace("k8s.io/v1", "k8s.io/v1beta1");
        for text in [
            &*deep,
            &*patch,
            &*old,
            "",
            "a",
            "[1]",
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n",
        ] {
            assert!(definitions(&[text]).is_empty(), "{text}");
        }
    }

    #[test]
    fn switches_of_bounds_become_bounds() {
        let out =
            constraints(&json!({"minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false}));
        assert_eq!(Value::Object(out), json!({"exclusiveMinimum": 0, "maximum": 9}));
    }
}
