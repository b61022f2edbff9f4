//! A JSON Schema compiled to what the walker asks.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::cel::Facts;
use super::check::{Alternative, Check, KeyField, Pattern, Quantity, Range, Refuser, Sizes, Test};
use super::format::Format;
use crate::values::minor::Minor;

/// An index into [`Shapes`].
pub type ShapeId = u32;

/// JSON types as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Types(u8);

impl Types {
    pub const OBJECT: Types = Types(1);
    pub const ARRAY: Types = Types(2);
    pub const STRING: Types = Types(4);
    pub const INTEGER: Types = Types(8);
    /// A number that is no whole one.
    pub const NUMBER_ONLY: Types = Types(16);
    pub const NUMBER: Types = Types(16 | 8);
    pub const BOOLEAN: Types = Types(32);
    pub const NULL: Types = Types(64);

    fn of(value: &Value) -> Types {
        match value {
            Value::Array(names) => Types(names.iter().fold(0, |bits, name| bits | Types::of(name).0)),
            Value::String(name) => match name.as_str() {
                "object" => Types::OBJECT,
                "array" => Types::ARRAY,
                "string" => Types::STRING,
                "integer" => Types::INTEGER,
                "number" => Types::NUMBER,
                "boolean" => Types::BOOLEAN,
                "null" => Types::NULL,
                _ => Types(0),
            },
            _ => Types(0),
        }
    }

    /// Whether a value of type `other` is allowed. No type at all allows every value.
    pub fn allows(self, other: Types) -> bool {
        self.0 == 0 || self.0 & other.0 != 0
    }

    /// The types in words.
    pub fn words(self) -> String {
        let all = [
            (Types::OBJECT, "a mapping"),
            (Types::ARRAY, "a list"),
            (Types::STRING, "a string"),
            (Types::INTEGER, "a whole number"),
            (Types::NUMBER_ONLY, "a number"),
            (Types::BOOLEAN, "a boolean"),
        ];
        let number = self.0 & Types::NUMBER_ONLY.0 != 0;
        let named = all
            .iter()
            .filter(|(bit, _)| self.0 & bit.0 != 0 && !(number && *bit == Types::INTEGER));
        named.map(|(_, words)| *words).collect::<Vec<_>>().join(" or ")
    }
}

/// What is allowed beside the named fields of a mapping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// Anything.
    #[default]
    Open,
    /// Nothing.
    Closed,
    /// Values of one shape: the mapping is a map.
    Each(ShapeId),
}

/// A named field of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub shape: ShapeId,
    /// Null stands for its default.
    pub has_default: bool,
    /// The minor of Istio that brings it.
    pub since: Option<Minor>,
}

/// One node of the schema.
#[derive(Debug, Default)]
pub struct Shape {
    pub types: Types,
    pub fields: FxHashMap<Box<str>, Field>,
    pub rest: Rest,
    pub items: Option<ShapeId>,
    /// What is demanded beyond the type.
    pub checks: Box<[Check]>,
    /// What conditions need to know.
    pub cel: Option<Arc<Facts>>,
}

impl Shape {
    /// The shape of the value under a key.
    pub fn field(&self, name: &str) -> Option<ShapeId> {
        let named = self.fields.get(name).map(|field| field.shape);
        match self.rest {
            Rest::Each(each) => named.or(Some(each)),
            Rest::Open | Rest::Closed => named,
        }
    }
}

/// A compiled schema; the root is the first.
#[derive(Debug)]
pub struct Shapes {
    all: Vec<Shape>,
    /// Who does not take what breaks the types.
    pub refuser: Refuser,
}

impl Shapes {
    pub const ROOT: ShapeId = 0;

    /// Compiles a schema with local references. `refuser` is who does not take what breaks it.
    pub fn compile(json: &Value, refuser: Refuser) -> Self {
        let mut compiler = Compiler {
            root: json,
            refuser,
            all: Vec::new(),
            by_reference: FxHashMap::default(),
        };
        compiler.shape(json);
        Self {
            all: compiler.all,
            refuser,
        }
    }

    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.all[id as usize]
    }
}

struct Compiler<'j> {
    root: &'j Value,
    refuser: Refuser,
    all: Vec<Shape>,
    by_reference: FxHashMap<&'j str, ShapeId>,
}

/// What may stand beside a `$ref` without making another shape of it.
const REMARKS: [&str; 7] = [
    "$ref",
    "description",
    "default",
    "deprecated",
    "x-since",
    "x-removed",
    "x-webhook",
];

impl<'j> Compiler<'j> {
    fn shape(&mut self, json: &'j Value) -> ShapeId {
        let plain = json
            .as_object()
            .is_some_and(|fields| fields.keys().all(|key| REMARKS.contains(&key.as_str())));
        match json["$ref"].as_str() {
            Some(reference) if plain => self.referred(reference),
            _ => self.fresh(json),
        }
    }

    fn referred(&mut self, reference: &'j str) -> ShapeId {
        if let Some(known) = self.by_reference.get(reference) {
            return *known;
        }
        let target = self.root.pointer(reference.trim_start_matches('#'));
        let id = self.reserve();
        self.by_reference.insert(reference, id);
        let shape = self.body(target.expect("the schemas are tested to resolve"));
        self.all[id as usize] = shape;
        id
    }

    fn fresh(&mut self, json: &'j Value) -> ShapeId {
        let id = self.reserve();
        let shape = self.body(json);
        self.all[id as usize] = shape;
        id
    }

    fn reserve(&mut self) -> ShapeId {
        self.all.push(Shape::default());
        ShapeId::try_from(self.all.len() - 1).expect("a schema has fewer than 2^32 nodes")
    }

    fn body(&mut self, json: &'j Value) -> Shape {
        let fields = json["properties"].as_object().into_iter().flat_map(Map::iter);
        let fields = fields
            .map(|(name, field)| (name.as_str().into(), self.field(field)))
            .collect();
        let rest = match &json["additionalProperties"] {
            Value::Bool(false) => Rest::Closed,
            each @ Value::Object(_) => Rest::Each(self.shape(each)),
            _ => Rest::Open,
        };
        let items = json["items"].is_object().then(|| self.shape(&json["items"]));
        let target = json["$ref"]
            .as_str()
            .and_then(|reference| self.root.pointer(reference.trim_start_matches('#')));
        Shape {
            types: Types::of(&target.unwrap_or(json)["type"]),
            fields,
            rest,
            items,
            checks: self.checks(json).into(),
            cel: Facts::of(json),
        }
    }

    fn field(&mut self, json: &'j Value) -> Field {
        Field {
            shape: self.shape(json),
            has_default: !json["default"].is_null(),
            since: json["x-since"].as_str().and_then(Minor::parse),
        }
    }

    /// Forms stand before sizes and patterns: the first fault of a value is the one that is told.
    fn checks(&mut self, json: &'j Value) -> Vec<Check> {
        let mut checks = self.value_checks(json);
        self.mapping_checks(json, &mut checks);
        let list = |keyword: &str| json[keyword].as_array().into_iter().flatten();
        for part in list("allOf") {
            let part = self.shape(part);
            checks.push(self.check(json, "allOf", Test::Also(part)));
        }
        if json["$ref"].is_string() {
            let also = self.referred(json["$ref"].as_str().unwrap_or_default());
            checks.push(self.check(json, "$ref", Test::Also(also)));
        }
        if json["not"].is_object() {
            let not = self.shape(&json["not"]);
            checks.push(self.check(json, "not", Test::Not(not)));
        }
        if json["if"].is_object() {
            let branch = |compiler: &mut Self, key: &str| json[key].is_object().then(|| compiler.shape(&json[key]));
            let condition = self.shape(&json["if"]);
            let test = Test::If(condition, branch(self, "then"), branch(self, "else"));
            checks.push(self.check(json, "if", test));
        }
        checks
    }

    fn value_checks(&self, json: &Value) -> Vec<Check> {
        let mut checks = Vec::new();
        let format = json["format"].as_str().and_then(Format::from_name);
        if json["enum"].is_array() || !json["const"].is_null() {
            checks.push(self.check(json, "enum", Test::Enum(words(json))));
        }
        checks.extend(format.map(|format| self.check(json, "format", Test::Format(format))));
        self.ranges(json, &mut checks);
        self.sizes(json, ["minLength", "maxLength"], Test::Length, &mut checks);
        if let Some(pattern) = json["pattern"].as_str() {
            checks.push(self.check(json, "pattern", Test::Pattern(Pattern::new(pattern), format)));
        }
        self.sizes(json, ["minItems", "maxItems"], Test::Count, &mut checks);
        self.sizes(json, ["minProperties", "maxProperties"], Test::Count, &mut checks);
        checks
    }

    /// `oneOf` and `anyOf`. Fields that exclude each other are told as such.
    fn alternatives(&mut self, json: &'j Value, checks: &mut Vec<Check>) {
        let exclusive = exclusive(json);
        let any_is_needed = !list(&json["oneOf"]).any(|branch| branch["not"].is_object());
        for (keyword, quantity) in [("oneOf", Quantity::One), ("anyOf", Quantity::Some)] {
            let told = keyword == "oneOf" && exclusive.is_some();
            if !json[keyword].is_array() || told && !any_is_needed {
                continue;
            }
            let branches = list(&json[keyword]).map(|branch| Alternative {
                shape: self.shape(branch),
                fields: required_words(branch),
            });
            let branches = branches.collect();
            let quantity = if told { Quantity::Some } else { quantity };
            checks.push(self.check(json, keyword, Test::Alternatives(branches, quantity)));
        }
        checks.extend(exclusive.map(|test| self.check(json, "oneOf", test)));
    }

    fn mapping_checks(&mut self, json: &'j Value, checks: &mut Vec<Check>) {
        // What lacks fields of a built-in kind is mostly a patch.
        let whole = self.refuser != Refuser::ApiServer;
        for name in texts(&json["required"]).filter(|_| whole) {
            let keyword = format!("required:{name}");
            let mut check = self.check(json, &keyword, Test::Required(name.into()));
            if is_of_webhook(json, "required") {
                check.refuser = Refuser::Webhook;
            }
            checks.push(check);
        }
        self.alternatives(json, checks);
        if json["prefixItems"].is_array() {
            let first = self.shape(&json["prefixItems"][0]);
            checks.push(self.check(json, "prefixItems", Test::First(first)));
        }
        if json["propertyNames"].is_object() {
            let keys = self.shape(&json["propertyNames"]);
            checks.push(self.check(json, "propertyNames", Test::Keys(keys)));
        }
        match json["x-kubernetes-list-type"].as_str() {
            Some("map") => {
                let keys = self.key_fields(json);
                checks.push(self.check(json, "x-kubernetes-list-type", Test::Distinct(keys)));
            }
            Some("set") => checks.push(self.check(json, "x-kubernetes-list-type", Test::Distinct(Box::default()))),
            _ => {}
        }
        if json["uniqueItems"] == true {
            checks.push(self.check(json, "uniqueItems", Test::Distinct(Box::default())));
        }
    }

    fn key_fields(&self, json: &Value) -> Box<[KeyField]> {
        let items = &json["items"];
        let target = items["$ref"]
            .as_str()
            .and_then(|reference| self.root.pointer(reference.trim_start_matches('#')));
        let properties = &target.unwrap_or(items)["properties"];
        let default = |name: &str| match &properties[name]["default"] {
            Value::Null => None,
            Value::String(text) => Some(text.as_str().into()),
            other => Some(other.to_string().into()),
        };
        texts(&json["x-kubernetes-list-map-keys"])
            .map(|name| KeyField {
                name: name.into(),
                default: default(name),
            })
            .collect()
    }

    fn ranges(&self, json: &Value, checks: &mut Vec<Check>) {
        let bound = |keyword: &str| json[keyword].as_f64();
        let range = |minimum: Option<f64>, maximum: Option<f64>, exclusive: bool| {
            Test::Range(Range {
                minimum: minimum.unwrap_or(f64::NEG_INFINITY),
                maximum: maximum.unwrap_or(f64::INFINITY),
                exclusive,
                zero_is_unset: json["x-zero-is-unset"] == true,
            })
        };
        let one = is_of_webhook(json, "minimum") == is_of_webhook(json, "maximum");
        match (bound("minimum"), bound("maximum")) {
            (None, None) => {}
            (minimum, maximum) if one || minimum.is_none() || maximum.is_none() => {
                let keyword = if minimum.is_some() { "minimum" } else { "maximum" };
                checks.push(self.check(json, keyword, range(minimum, maximum, false)));
            }
            (minimum, maximum) => {
                checks.push(self.check(json, "minimum", range(minimum, None, false)));
                checks.push(self.check(json, "maximum", range(None, maximum, false)));
            }
        }
        if let Some(least) = bound("exclusiveMinimum") {
            checks.push(self.check(json, "exclusiveMinimum", range(Some(least), None, true)));
        }
        if let Some(most) = bound("exclusiveMaximum") {
            checks.push(self.check(json, "exclusiveMaximum", range(None, Some(most), true)));
        }
    }

    fn sizes(&self, json: &Value, [least, most]: [&str; 2], test: fn(Sizes) -> Test, checks: &mut Vec<Check>) {
        let bound = |keyword: &str| json[keyword].as_u64().and_then(|size| usize::try_from(size).ok());
        let sizes = |least: Option<usize>, most: Option<usize>| Sizes {
            least: least.unwrap_or(0),
            most: most.unwrap_or(usize::MAX),
        };
        let one = is_of_webhook(json, least) == is_of_webhook(json, most);
        match (bound(least), bound(most)) {
            (None | Some(0), None) => {}
            (smallest, largest) if one || smallest.is_none() || largest.is_none() => {
                let keyword = if smallest.is_some() { least } else { most };
                checks.push(self.check(json, keyword, test(sizes(smallest, largest))));
            }
            (smallest, largest) => {
                checks.push(self.check(json, least, test(sizes(smallest, None))));
                checks.push(self.check(json, most, test(sizes(None, largest))));
            }
        }
    }

    fn check(&self, json: &Value, keyword: &str, test: Test) -> Check {
        let refuser = if is_of_webhook(json, keyword) {
            Refuser::Webhook
        } else {
            self.refuser
        };
        Check { test, refuser }
    }
}

/// Whether the keyword is istiod's webhook's and not the API server's: `x-webhook` lists those.
fn is_of_webhook(json: &Value, keyword: &str) -> bool {
    texts(&json["x-webhook"]).any(|name| name == keyword)
}

fn words(json: &Value) -> Box<[(Box<str>, Option<Minor>)]> {
    let since = |word: &str| json["x-enum-since"][word].as_str().and_then(Minor::parse);
    let word = |word: Cow<'_, str>| (word.as_ref().into(), since(&word));
    let values = json["enum"].as_array().into_iter().flatten();
    let values = values.chain(Some(&json["const"]).filter(|value| !value.is_null()));
    values
        .map(|value| word(value.as_str().map_or(value.to_string().into(), Cow::Borrowed)))
        .collect()
}

/// A `oneOf` whose branches each require one field, besides the one for none of them: the fields exclude each other.
fn exclusive(json: &Value) -> Option<Test> {
    let branches = json["oneOf"].as_array()?;
    let is_simple = |branch: &Value| branch["not"].is_object() || texts(&branch["required"]).count() == 1;
    let alone = |branch: &Value| branch.as_object().is_some_and(|keywords| keywords.len() == 1);
    let fields = branches.iter().flat_map(|branch| texts(&branch["required"]));
    let simple = branches.iter().all(|branch| alone(branch) && is_simple(branch));
    simple.then(|| Test::AtMostOne(fields.map(Into::into).collect()))
}

fn list(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

/// The fields that a schema requires: `a`, `b` and `c`.
fn required_words(json: &Value) -> Box<str> {
    let names: Vec<_> = texts(&json["required"]).map(|name| format!("`{name}`")).collect();
    names.join(" with ").into()
}

fn texts(json: &Value) -> impl Iterator<Item = &str> {
    json.as_array().into_iter().flatten().filter_map(Value::as_str)
}
