//! Merging a message into another as protobuf does, both in proto3's JSON: scalars replace, lists are appended, messages are
//! merged, entries of maps replace those of the same key (catalogue: policies, 56).

use serde_json::{Map, Value as Json};

use super::decode::type_name;
use crate::schema::proto::{self, Field, Kind, Message, Shape, Wrapped};

/// What becomes of a list that both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lists {
    /// The new one is appended.
    Append,
    /// The new one takes the place of the old one.
    Replace,
}

/// Merges `from` into `into`, messages of this name.
pub fn merge(name: &str, into: &mut Json, from: &Json, lists: Lists) {
    let (Json::Object(into), Json::Object(from)) = (into, from) else {
        return;
    };
    match proto::message(name) {
        Some(message) => fields(message, into, from, lists),
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
    let fields = from.map(|(key, value)| (key.clone(), value.clone())).collect();
    merge(&same, into, &Json::Object(fields), Lists::Append);
}

fn type_of(json: &Json) -> Option<&str> {
    json.get("@type")?.as_str()
}

fn fields(message: &Message, into: &mut Map<String, Json>, from: &Map<String, Json>, lists: Lists) {
    for (key, value) in from {
        match message.field(key) {
            Some(field) => one(message, field, into, value, lists),
            None => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}

fn one(message: &Message, field: &Field, into: &mut Map<String, Json>, value: &Json, lists: Lists) {
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
        (Shape::List, _) if lists == Lists::Append => append(old, value),
        (Shape::Single, Kind::Message(name)) => merge(name, old, value, lists),
        (Shape::Map, _) | (Shape::Single, Kind::Json) => entries(old, value),
        (Shape::Single, Kind::Wrapper(wrapped)) if is_default(wrapped, value) => {}
        (Shape::Single | Shape::List, _) => *old = value.clone(),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(name: &str, mut into: Json, from: &Json, lists: Lists) -> Json {
        merge(name, &mut into, from, lists);
        into
    }

    #[test]
    fn scalars_replace_and_lists_grow() {
        let route =
            json!({"name": "a", "timeout": "5s", "domains": ["a"], "retryPolicy": {"numRetries": 2, "retryOn": "5xx"}});
        let patch = json!({"name": "b", "domains": ["b"], "retryPolicy": {"numRetries": 3}});
        let host = "envoy.config.route.v3.VirtualHost";
        let expected = json!({"name": "b", "timeout": "5s", "domains": ["a", "b"], "retryPolicy": {"numRetries": 3, "retryOn": "5xx"}});
        assert_eq!(merged(host, route.clone(), &patch, Lists::Append), expected);
        assert_eq!(merged(host, route, &patch, Lists::Replace)["domains"], json!(["b"]));
    }

    #[test]
    fn one_of_several_takes_the_place_of_the_others() {
        let route = json!({"match": {"prefix": "/", "caseSensitive": true}, "route": {"cluster": "a"}});
        let patch = json!({"match": {"path": "/x", "caseSensitive": false}, "directResponse": {"status": 204}});
        let expected = json!({"match": {"caseSensitive": true, "path": "/x"}, "directResponse": {"status": 204}});
        assert_eq!(
            merged("envoy.config.route.v3.Route", route, &patch, Lists::Append),
            expected
        );
    }

    #[test]
    fn durations_and_entries_are_replaced_whole() {
        let cluster = json!({"connectTimeout": "10.500s", "typedExtensionProtocolOptions": {"a": {"@type": "x/a", "old": 1}, "b": {}}});
        let patch = json!({"connectTimeout": "1s", "typedExtensionProtocolOptions": {"a": {"@type": "x/b"}}});
        let expected =
            json!({"connectTimeout": "1s", "typedExtensionProtocolOptions": {"a": {"@type": "x/b"}, "b": {}}});
        assert_eq!(
            merged("envoy.config.cluster.v3.Cluster", cluster, &patch, Lists::Append),
            expected
        );
    }

    #[test]
    fn configurations_of_one_type_are_merged() {
        let router = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";
        let mut into = json!({"@type": router, "dynamicStats": false});
        merge_typed(&mut into, &json!({"@type": router, "suppressEnvoyHeaders": true}));
        assert_eq!(
            into,
            json!({"@type": router, "dynamicStats": false, "suppressEnvoyHeaders": true})
        );
        let before = into.clone();
        merge_typed(
            &mut into,
            &json!({"@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua", "x": 1}),
        );
        assert_eq!(into, before);
    }
}
