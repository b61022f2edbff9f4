//! Values of expressions. Mappings of the document are read when they are asked.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::net::IpAddr;
use std::rc::Rc;

use serde_json::Value as Json;

use super::library::{Form, Url};
use super::{Format, Stop, time};
use crate::schema::shape::{ShapeId, Shapes, Types};
use crate::values::duration;
use crate::yaml::{Kind, Node, Scalar, is_placeholder};

/// A value.
#[derive(Clone, Debug)]
pub enum Value<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Cow<'v, str>),
    Bytes(Rc<[u8]>),
    /// In nanoseconds.
    Duration(i64),
    /// In nanoseconds since 1970.
    Timestamp(i128),
    List(Rc<[Value<'v>]>),
    Map(Map<'v>),
    Optional(Option<Rc<Value<'v>>>),
    Type(&'static str),
    Url(Rc<Url>),
    Ip(IpAddr),
    Cidr(IpAddr, u8),
    /// In thousand-millionths.
    Quantity(i128),
    Form(Form),
    /// A placeholder stands there.
    Unknown,
}

/// A mapping.
#[derive(Clone, Debug)]
pub enum Map<'v> {
    /// Of the document.
    Node(Node<'v, 'v>, Schema<'v>),
    /// Of a default.
    Json(&'v serde_json::Map<String, Json>, Schema<'v>),
    /// Made by the expression.
    Made(Rc<[(Value<'v>, Value<'v>)]>),
}

/// What the schema says of a value, if it says something.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'v> {
    shapes: &'v Shapes,
    id: Option<ShapeId>,
    /// How far below the value that is judged: aliases can nest more deeply than a text.
    level: u32,
}

/// Values further down are not read.
const DEEPEST: u32 = 200;

impl<'v> Schema<'v> {
    pub fn new(shapes: &'v Shapes, id: ShapeId) -> Self {
        Self {
            shapes,
            id: Some(id),
            level: 0,
        }
    }

    fn field(self, name: &str) -> Self {
        self.below(self.id.and_then(|id| self.shapes.get(id).field(name)))
    }

    fn items(self) -> Self {
        self.below(self.id.and_then(|id| self.shapes.get(id).items))
    }

    fn below(self, id: Option<ShapeId>) -> Self {
        Self {
            id,
            level: self.level + 1,
            ..self
        }
    }

    fn types(self) -> Types {
        self.id.map_or(Types::default(), |id| self.shapes.get(id).types)
    }

    fn format(self) -> Format {
        let cel = self.id.and_then(|id| self.shapes.get(id).cel.as_ref());
        cel.map_or(Format::Plain, |cel| cel.format)
    }

    fn default(self, name: &str) -> Option<&'v Json> {
        self.id
            .and_then(|id| self.shapes.get(id).cel.as_ref())?
            .defaults
            .get(name)
    }

    /// Whether the mapping has named fields: then names are escaped in expressions.
    fn is_object(self) -> bool {
        self.id.is_some_and(|id| !self.shapes.get(id).fields.is_empty())
    }
}

/// Reads a node of the document.
///
/// # Errors
/// A placeholder, or a text that has not the form that its schema says.
pub fn read<'v>(node: Node<'v, 'v>, schema: Schema<'v>) -> Result<Value<'v>, Stop> {
    if schema.level > DEEPEST {
        return Err(Stop::failed("a value is nested too deeply"));
    }
    match node.kind() {
        Kind::Mapping => return Ok(Value::Map(Map::Node(node, schema))),
        Kind::Sequence => return list(node.items().map(|item| read(item, schema.items()))),
        _ => {}
    }
    Ok(match node.scalar() {
        // An entry that is null is refused before.
        None | Some(Scalar::Null) => return Err(Stop::Unknown),
        Some(Scalar::Bool(value)) => Value::Bool(value),
        Some(Scalar::Int(value)) => int(value, schema),
        Some(Scalar::Float(value)) => float(value, schema),
        Some(Scalar::Text(text)) if is_placeholder(text) => return Err(Stop::Unknown),
        Some(Scalar::Text(value)) => text(value, schema)?,
    })
}

fn read_json<'v>(json: &'v Json, schema: Schema<'v>) -> Result<Value<'v>, Stop> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => int(value, schema),
            None => float(number.as_f64().unwrap_or_default(), schema),
        },
        Json::String(value) => text(value, schema)?,
        Json::Array(items) => return list(items.iter().map(|item| read_json(item, schema.items()))),
        Json::Object(fields) => Value::Map(Map::Json(fields, schema)),
    })
}

fn list<'v>(items: impl Iterator<Item = Result<Value<'v>, Stop>>) -> Result<Value<'v>, Stop> {
    let known = |item| match item {
        Err(Stop::Unknown) => Ok(Value::Unknown),
        other => other,
    };
    items.map(known).collect::<Result<_, _>>().map(Value::List)
}

#[expect(clippy::cast_precision_loss, reason = "JSON numbers are doubles")]
fn int(value: i64, schema: Schema<'_>) -> Value<'_> {
    let types = schema.types();
    if types != Types::default() && types.allows(Types::NUMBER_ONLY) {
        Value::Double(value as f64)
    } else {
        Value::Int(value)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "it is a whole number that fits, or no integer"
)]
fn float(value: f64, schema: Schema<'_>) -> Value<'_> {
    if schema.types() == Types::INTEGER && value.fract() == 0.0 && value.abs() < 9e15 {
        Value::Int(value as i64)
    } else {
        Value::Double(value)
    }
}

fn text<'v>(text: &'v str, schema: Schema<'v>) -> Result<Value<'v>, Stop> {
    let read = match schema.format() {
        Format::Plain => Some(Value::Text(text.into())),
        Format::Duration => duration::Duration::parse(text).map(|duration| Value::Duration(duration.0)),
        Format::Timestamp => time::parse(text).map(Value::Timestamp),
    };
    read.ok_or_else(|| Stop::Refused(format!("`{text}` has not the form that the schema demands")))
}

impl<'v> Map<'v> {
    /// The value of a field, or its default.
    pub fn select(&self, written: &str, property: &str) -> Result<Option<Value<'v>>, Stop> {
        let (schema, is_made) = match self {
            Map::Node(_, schema) | Map::Json(_, schema) => (Some(*schema), false),
            Map::Made(_) => (None, true),
        };
        let escaped = !is_made && schema.is_some_and(Schema::is_object);
        self.get(if escaped { property } else { written })
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Result<Option<Value<'v>>, Stop> {
        let (found, schema) = match self {
            Map::Node(node, schema) => match node.get(key) {
                Some(value) => return read(value, schema.field(key)).map(Some),
                None => (schema.default(key), *schema),
            },
            Map::Json(fields, schema) => (fields.get(key).or_else(|| schema.default(key)), *schema),
            Map::Made(entries) => {
                let known = |name: &Value<'_>| matches!(name, Value::Text(text) if text == key);
                return Ok(entries
                    .iter()
                    .find(|(name, _)| known(name))
                    .map(|(_, value)| value.clone()));
            }
        };
        found.map(|json| read_json(json, schema.field(key))).transpose()
    }

    /// What it costs to look for a key.
    pub fn weight(&self) -> usize {
        match self {
            Map::Node(node, _) if node.tree().len() > 1000 => node.entries().count() / 8,
            Map::Made(entries) => entries.len() / 8,
            Map::Node(..) | Map::Json(..) => 1,
        }
    }

    /// Whether a field is set or has a default.
    pub fn has(&self, written: &str, property: &str) -> Result<bool, Stop> {
        match self.select(written, property) {
            Ok(value) => Ok(value.is_some()),
            // Something stands there, whatever it is.
            Err(Stop::Unknown | Stop::Refused(_)) => Ok(true),
            Err(stop) => Err(stop),
        }
    }

    /// The keys.
    pub fn keys(&self) -> Vec<Value<'v>> {
        match self {
            Map::Node(node, _) => node
                .entries()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, _)| Value::Text(key.key()))
                .collect(),
            Map::Json(fields, _) => fields.keys().map(|key| Value::Text(key.as_str().into())).collect(),
            Map::Made(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
        }
    }

    /// The value under a key of any type.
    pub fn at(&self, key: &Value<'v>) -> Result<Option<Value<'v>>, Stop> {
        if let Value::Text(key) = key {
            return self.get(key);
        }
        let Map::Made(entries) = self else { return Ok(None) };
        for (name, value) in entries.iter() {
            if equal(name, key)? {
                return Ok(Some(value.clone()));
            }
        }
        Ok(None)
    }
}

impl Value<'_> {
    /// What it costs to look at all of it.
    pub fn weight(&self) -> usize {
        match self {
            Value::Text(text) => text.len() / 8,
            Value::Bytes(bytes) => bytes.len() / 8,
            Value::List(items) => items.iter().map(|item| 1 + item.weight()).sum(),
            Value::Map(map) => map.weight(),
            _ => 0,
        }
    }

    /// Its type as expressions name it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Uint(_) => "uint",
            Value::Double(_) => "double",
            Value::Text(_) => "string",
            Value::Bytes(_) => "bytes",
            Value::Duration(_) => "google.protobuf.Duration",
            Value::Timestamp(_) => "google.protobuf.Timestamp",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Optional(_) => "optional_type",
            Value::Type(_) => "type",
            Value::Url(_) => "URL",
            Value::Ip(_) => "IP",
            Value::Cidr(..) => "CIDR",
            Value::Quantity(_) => "Quantity",
            Value::Form(_) => "format",
            Value::Unknown => "unknown",
        }
    }
}

/// Whether two values are equal; values of different types are not, but for numbers.
///
/// # Errors
/// A placeholder on either side.
pub fn equal(a: &Value<'_>, b: &Value<'_>) -> Result<bool, Stop> {
    Ok(match (a, b) {
        (Value::Unknown, _) | (_, Value::Unknown) => return Err(Stop::Unknown),
        (Value::Null, Value::Null) => true,
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !equal(a, b)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(a), Value::Map(b)) => {
            let keys = a.keys();
            if keys.len() != b.keys().len() {
                return Ok(false);
            }
            for key in keys {
                let same = match (a.at(&key)?, b.at(&key)?) {
                    (Some(a), Some(b)) => equal(&a, &b)?,
                    _ => false,
                };
                if !same {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => equal(a, b)?,
            (None, None) => true,
            _ => false,
        },
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::Url(a), Value::Url(b)) => a.text == b.text,
        (Value::Ip(a), Value::Ip(b)) => a == b,
        (Value::Cidr(a, m), Value::Cidr(b, n)) => a == b && m == n,
        (Value::Form(a), Value::Form(b)) => a == b,
        _ => order(a, b) == Some(Ordering::Equal),
    })
}

/// Which of two values is less, where they have an order.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of different types are compared as doubles"
)]
pub fn order(a: &Value<'_>, b: &Value<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => Some(a.cmp(b)),
        (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
        (Value::Int(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Uint(a), Value::Double(b)) => (*a as f64).partial_cmp(b),
        (Value::Double(a), Value::Uint(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Bytes(a), Value::Bytes(b)) => Some(a.cmp(b)),
        (Value::Timestamp(a), Value::Timestamp(b)) | (Value::Quantity(a), Value::Quantity(b)) => Some(a.cmp(b)),
        _ => None,
    }
}
