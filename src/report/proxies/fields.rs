//! Fields of messages as JSON.

use serde_json::Value as Json;

/// A text field; empty where it is not set.
pub fn text<'j>(json: &'j Json, path: &str) -> &'j str {
    json.pointer(path).and_then(Json::as_str).unwrap_or_default()
}

/// A number as text; empty where it is not set.
pub fn number(json: &Json, path: &str) -> String {
    json.pointer(path)
        .and_then(Json::as_u64)
        .map_or(String::new(), |number| number.to_string())
}

/// The items of a list field.
pub fn items<'j>(json: &'j Json, path: &str) -> &'j [Json] {
    json.pointer(path).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

/// The texts of a list field.
pub fn texts<'j>(json: &'j Json, path: &str) -> Vec<&'j str> {
    items(json, path).iter().filter_map(Json::as_str).collect()
}

/// The resource that metadata credits, `name.namespace`, if it is of this kind.
pub fn credited(json: &Json, kind: &str) -> String {
    let config = text(json, "/metadata/filterMetadata/istio/config");
    let mut parts = config.rsplit('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(name), Some(found), Some(namespace)) if found == kind => format!("{name}.{namespace}"),
        _ => String::new(),
    }
}
