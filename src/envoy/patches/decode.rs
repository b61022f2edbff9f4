//! The value of a patch as the message it stands for, in proto3's JSON. `None` is a value that is no such message.

use serde_json::{Map, Number, Value as Json};

use crate::model::Value;
use crate::schema::proto::{self, Field, Kind, Message, Shape, json_name};
use crate::values::duration::Duration;

/// A message of this name. Fields that it does not have are left out, as istiod leaves them out.
pub fn message(name: &str, value: &Value<'_>) -> Option<Json> {
    let Value::Map(entries) = value else { return None };
    let Some(message) = proto::message(name) else {
        return Some(unknown(value));
    };
    let mut out = Map::new();
    for (key, inner) in entries {
        if let Some(field) = message.field(key.as_str()) {
            add(message, field, &inner.value, &mut out)?;
        }
    }
    Some(Json::Object(out))
}

/// Adds a field; none may be there twice, nor two of one `oneof`.
fn add(message: &Message, field: &Field, value: &Value<'_>, out: &mut Map<String, Json>) -> Option<()> {
    let taken = match field.group {
        Some(group) => message.group(group).any(|other| out.contains_key(&other.json)),
        None => out.contains_key(&field.json),
    };
    if taken {
        return None;
    }
    let decoded = match field.shape {
        Shape::Single => single(field.kind, value),
        Shape::List => list(field.kind, value),
        Shape::Map => map(field.kind, value),
    }?;
    let is_unset = decoded.is_null() || field.shape == Shape::Single && is_default(field, &decoded);
    if !is_unset {
        out.insert(field.json.clone(), decoded);
    }
    Some(())
}

fn list(kind: Kind, value: &Value<'_>) -> Option<Json> {
    let Value::List(items) = value else { return None };
    let items: Option<Vec<Json>> = items.iter().map(|item| single(kind, &item.value)).collect();
    let items: Vec<Json> = items?.into_iter().filter(|item| !item.is_null()).collect();
    Some(if items.is_empty() { Json::Null } else { items.into() })
}

fn map(kind: Kind, value: &Value<'_>) -> Option<Json> {
    let Value::Map(entries) = value else { return None };
    let entry = |(key, inner): &(crate::model::Text<'_>, crate::model::Spanned<Value<'_>>)| {
        Some((key.as_str().to_owned(), single(kind, &inner.value)?))
    };
    let entries: Option<Map<String, Json>> = entries.iter().map(entry).collect();
    let entries = entries?;
    Some(if entries.is_empty() { Json::Null } else { entries.into() })
}

/// One value; null stands for a word that the enumeration does not have, which istiod passes over.
fn single(kind: Kind, value: &Value<'_>) -> Option<Json> {
    match kind {
        Kind::Bool => match value {
            Value::Bool(value) => Some(Json::Bool(*value)),
            _ => None,
        },
        Kind::Text | Kind::Bytes => value.as_text().map(Json::from),
        Kind::Integer => integer(value).map(Json::from),
        Kind::Long => integer(value).map(|number| Json::from(number.to_string())),
        Kind::Number => number(value),
        Kind::Enum(name) => word(name, value),
        Kind::Wrapper(wrapped) => single(wrapped.kind(), value),
        Kind::Duration => duration(value.as_text()?),
        Kind::Json => Some(json(value)),
        Kind::Any => any(value),
        Kind::Message(name) => message(name, value),
    }
}

/// Whether a field with this value is as good as not set.
fn is_default(field: &Field, json: &Json) -> bool {
    if field.presence {
        return false;
    }
    match field.kind {
        Kind::Bool => json == &Json::Bool(false),
        Kind::Text | Kind::Bytes => json == "",
        Kind::Integer | Kind::Number => json.as_f64() == Some(0.0),
        Kind::Long => json == "0",
        Kind::Enum(name) => {
            json.as_i64() == Some(0)
                || proto::words(name)
                    .iter()
                    .any(|(word, number)| *number == 0 && json == word)
        }
        _ => false,
    }
}

fn integer(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Float(number) => whole(*number),
        Value::Text(text) => text.as_str().parse().ok(),
        _ => None,
    }
}

/// The integer that a float is.
#[expect(clippy::cast_possible_truncation, reason = "the bound is below that of i64")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

fn number(value: &Value<'_>) -> Option<Json> {
    match value {
        Value::Int(number) => Some(Json::from(*number)),
        Value::Float(number) => Some(float(*number)),
        Value::Text(text) => match text.as_str() {
            text @ ("NaN" | "Infinity" | "-Infinity") => Some(Json::from(text)),
            text => text.parse().ok().map(float),
        },
        _ => None,
    }
}

fn float(number: f64) -> Json {
    match whole(number) {
        Some(whole) => Json::from(whole),
        None => Number::from_f64(number).map_or(Json::Null, Json::Number),
    }
}

fn word(name: &str, value: &Value<'_>) -> Option<Json> {
    let words = proto::words(name);
    if let Some(text) = value.as_text() {
        let known = words.iter().any(|(word, _)| *word == text);
        return Some(if known { Json::from(text) } else { Json::Null });
    }
    let number = integer(value)?;
    let word = words.iter().find(|(_, other)| *other == number);
    Some(word.map_or(Json::from(number), |(word, _)| Json::from(*word)))
}

fn duration(text: &str) -> Option<Json> {
    let number = text.strip_suffix('s')?;
    let digits = number.strip_prefix('-').unwrap_or(number);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| Duration::parse(text).map(|duration| Json::from(duration.to_proto())))?
}

/// JSON of any form, as a `Struct` holds it: all numbers are floats.
fn json(value: &Value<'_>) -> Json {
    match value {
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) => float(*number),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => items.iter().map(|item| json(&item.value)).collect(),
        Value::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, inner)| (key.as_str().to_owned(), json(&inner.value)));
            Json::Object(entries.collect())
        }
    }
}

/// A message that says its type; one without fields need not.
fn any(value: &Value<'_>) -> Option<Json> {
    let Value::Map(entries) = value else { return None };
    let Some(at) = value.get("@type") else {
        return entries.is_empty().then(|| Json::Object(Map::new()));
    };
    let url = at.as_text()?;
    let mut out = Map::from_iter([("@type".to_owned(), Json::from(url))]);
    match message(type_name(url), value)? {
        Json::Object(fields) => out.extend(fields.into_iter().filter(|(key, _)| key != "@type")),
        _ => return None,
    }
    Some(Json::Object(out))
}

/// The message that the URL of an `@type` names.
pub fn type_name(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or(url)
}

/// A message whose fields are not known here: those of Istio's own extensions.
fn unknown(value: &Value<'_>) -> Json {
    match value {
        Value::Map(entries) => {
            let entry = |key: &str| {
                if key.starts_with('@') {
                    key.to_owned()
                } else {
                    json_name(key)
                }
            };
            let entries = entries
                .iter()
                .map(|(key, inner)| (entry(key.as_str()), unknown(&inner.value)));
            Json::Object(entries.collect())
        }
        Value::List(items) => items.iter().map(|item| unknown(&item.value)).collect(),
        other => json(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Spanned;
    use crate::source::{Interner, Span, Words};

    fn spanned<T>(value: T) -> Spanned<T> {
        Spanned {
            value,
            span: Span::default(),
        }
    }

    fn value<'a>(json: &Json, interner: &Interner<'a>) -> Value<'a> {
        match json {
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => number
                .as_i64()
                .map_or(Value::Float(number.as_f64().unwrap_or(0.0)), Value::Int),
            Json::String(text) => Value::Text(interner.word(text)),
            Json::Array(items) => Value::List(items.iter().map(|item| spanned(value(item, interner))).collect()),
            Json::Object(entries) => {
                let entry =
                    |(key, inner): (&String, &Json)| (spanned(interner.word(key)), spanned(value(inner, interner)));
                Value::Map(entries.iter().map(entry).collect())
            }
            Json::Null => unreachable!("values have no null"),
        }
    }

    fn decoded(name: &str, json: &Json) -> Option<Json> {
        let words = Words::default();
        message(name, &value(json, &Interner::new(&words)))
    }

    const CLUSTER: &str = "envoy.config.cluster.v3.Cluster";

    #[test]
    fn fields_get_the_names_and_forms_of_json() {
        let cluster = json!({"name": "a", "connect_timeout": "0.5s", "lbPolicy": 2, "type": "STATIC", "track_cluster_stats": {},
            "ring_hash_lb_config": {"minimum_ring_size": 1024}, "typed_extension_protocol_options": {"a_b": {}}});
        let expected = json!({"name": "a", "connectTimeout": "0.500s", "lbPolicy": "RING_HASH", "type": "STATIC",
            "trackClusterStats": {}, "ringHashLbConfig": {"minimumRingSize": "1024"}, "typedExtensionProtocolOptions": {"a_b": {}}});
        assert_eq!(decoded(CLUSTER, &cluster), Some(expected));
    }

    #[test]
    fn what_is_as_good_as_unset_goes() {
        let cluster = json!({"name": "", "lb_policy": "ROUND_ROBIN", "filters": [], "no_such_field": 1, "dns_lookup_family": "NONE_SUCH",
            "common_lb_config": {"healthy_panic_threshold": {"value": 0}}, "per_connection_buffer_limit_bytes": 0});
        let expected = json!({"commonLbConfig": {"healthyPanicThreshold": {}}, "perConnectionBufferLimitBytes": 0});
        assert_eq!(decoded(CLUSTER, &cluster), Some(expected));
    }

    #[test]
    fn free_forms_keep_their_names() {
        let filter = json!({"name": "f", "typed_config": {"@type": "type.googleapis.com/xds.type.v3.TypedStruct",
            "type_url": "x", "value": {"snake_case": [1.0, 0.5, false]}}});
        let expected = json!({"name": "f", "typedConfig": {"@type": "type.googleapis.com/xds.type.v3.TypedStruct",
            "typeUrl": "x", "value": {"snake_case": [1, 0.5, false]}}});
        assert_eq!(decoded("envoy.config.listener.v3.Filter", &filter), Some(expected));
    }

    #[test]
    fn values_of_wrong_types_are_no_message() {
        let wrong = [
            json!({"name": 1}),
            json!({"connect_timeout": "soon"}),
            json!({"connect_timeout": "1s", "connectTimeout": "2s"}),
            json!({"type": "STATIC", "cluster_type": {"name": "x"}}),
            json!({"filters": {}}),
            json!({"transport_socket": {"typed_config": {"a": 1}}}),
        ];
        for cluster in wrong {
            assert_eq!(decoded(CLUSTER, &cluster), None, "{cluster}");
        }
    }
}
