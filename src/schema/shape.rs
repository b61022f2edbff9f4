//! A JSON Schema compiled to what the walker asks.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::cel::Facts;

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

/// One node of the schema.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub types: Types,
    pub fields: FxHashMap<Box<str>, ShapeId>,
    pub rest: Rest,
    pub items: Option<ShapeId>,
    /// A text must have a form.
    pub formatted: bool,
    /// What conditions need to know.
    pub cel: Option<Arc<Facts>>,
}

impl Shape {
    /// The shape of the value under a key.
    pub fn field(&self, name: &str) -> Option<ShapeId> {
        match self.rest {
            Rest::Each(each) => Some(self.fields.get(name).copied().unwrap_or(each)),
            Rest::Open | Rest::Closed => self.fields.get(name).copied(),
        }
    }
}

/// A compiled schema; the root is the first.
#[derive(Debug)]
pub struct Shapes {
    all: Vec<Shape>,
}

impl Shapes {
    pub const ROOT: ShapeId = 0;

    /// Compiles a schema with local references.
    pub fn compile(json: &Value) -> Self {
        let mut compiler = Compiler {
            root: json,
            all: Vec::new(),
            by_reference: FxHashMap::default(),
        };
        compiler.shape(json);
        Self { all: compiler.all }
    }

    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.all[id as usize]
    }
}

struct Compiler<'j> {
    root: &'j Value,
    all: Vec<Shape>,
    by_reference: FxHashMap<&'j str, ShapeId>,
}

impl<'j> Compiler<'j> {
    fn shape(&mut self, json: &'j Value) -> ShapeId {
        let reference = json["$ref"].as_str();
        if let Some(known) = reference.and_then(|reference| self.by_reference.get(reference)) {
            return *known;
        }
        let id = ShapeId::try_from(self.all.len()).expect("a schema has fewer than 2^32 nodes");
        self.all.push(Shape::default());
        let target = match reference {
            Some(reference) => {
                self.by_reference.insert(reference, id);
                self.root
                    .pointer(reference.trim_start_matches('#'))
                    .expect("the schemas are tested to resolve")
            }
            None => json,
        };
        let shape = self.body(target);
        self.all[id as usize] = shape;
        id
    }

    fn body(&mut self, json: &'j Value) -> Shape {
        let fields = json["properties"].as_object().into_iter().flat_map(Map::iter);
        let fields = fields
            .map(|(name, field)| (name.as_str().into(), self.shape(field)))
            .collect();
        let rest = match &json["additionalProperties"] {
            Value::Bool(false) => Rest::Closed,
            each @ Value::Object(_) => Rest::Each(self.shape(each)),
            _ => Rest::Open,
        };
        let items = json["items"].is_object().then(|| self.shape(&json["items"]));
        Shape {
            types: Types::of(&json["type"]),
            fields,
            rest,
            items,
            formatted: !json["format"].is_null() || !json["pattern"].is_null() || !json["enum"].is_null(),
            cel: Facts::of(json),
        }
    }
}
