//! Merging a message into another as protobuf does, both in proto3's JSON: scalars replace, lists are appended, messages are
//! merged, entries of maps replace those of the same key (catalogue: policies, 56).

use serde_json::{Map, Value as Json};

use super::decode::type_name;
use crate::schema::proto::{self, Field, Kind, Message, Shape, Wrapped};

/// Merges `from` into `into`, messages of this name.
pub fn merge(name: &str, into: &mut Json, from: &Json) {
    let (Json::Object(into), Json::Object(from)) = (into, from) else {
        return;
    };
    match proto::message(name) {
        Some(message) => fields(message, into, from),
        None => into.extend(from.iter().map(|(key, value)| (key.clone(), value.clone()))),
    }
}

/// Merges two messages that say their type; nothing comes of different ones.
pub fn merge_typed(into: &mut Json, from: &Json) {
    let same = match (type_of(into), type_of(from)) {
        (Some(one), Some(other)) if type_name(one) == type_name(other) => type_name(other).to_owned(),
        _ => return,
    };
    let Json::Object(from) = from else { return };
    let from = from.iter().filter(|(key, _)| *key != "@type");
    merge(
        &same,
        into,
        &Json::Object(from.map(|(key, value)| (key.clone(), value.clone())).collect()),
    );
}

fn type_of(json: &Json) -> Option<&str> {
    json.get("@type")?.as_str()
}

fn fields(message: &Message, into: &mut Map<String, Json>, from: &Map<String, Json>) {
    for (key, value) in from {
        match message.field(key) {
            Some(field) => one(message, field, into, value),
            None => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

fn one(message: &Message, field: &Field, into: &mut Map<String, Json>, value: &Json) {
    if let Some(group) = field.group {
        for other in message.group(group).filter(|other| other.name != field.name) {
            into.shift_remove(&other.json);
        }
    }
    let Some(old) = into.get_mut(&field.json) else {
        into.insert(field.json.clone(), value.clone());
        return;
    };
    match (field.shape, field.kind) {
        (Shape::List, _) => append(old, value),
        (Shape::Map, _) => entries(old, value),
        (Shape::Single, Kind::Message(name)) => merge(name, old, value),
        (Shape::Single, Kind::Json) => entries(old, value),
        (Shape::Single, Kind::Wrapper(wrapped)) if is_default(wrapped, value) => {}
        (Shape::Single, _) => *old = value.clone(),
    }
}

fn append(old: &mut Json, value: &Json) {
    if let (Json::Array(old), Json::Array(new)) = (old, value) {
        old.extend(new.iter().cloned());
    }
}

fn entries(old: &mut Json, value: &Json) {
    match (old, value) {
        (Json::Object(old), Json::Object(new)) => {
            old.extend(new.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        (old, value) => *old = value.clone(),
    }
}

/// A wrapper is a message whose field, at its default, is not set, and so leaves that of the other alone.
fn is_default(wrapped: Wrapped, value: &Json) -> bool {
    match wrapped {
        Wrapped::Bool => value == &Json::Bool(false),
        Wrapped::Text | Wrapped::Bytes => value == "",
        Wrapped::Integer | Wrapped::Number => value.as_f64() == Some(0.0),
        Wrapped::Long => value == "0",
    }
}
