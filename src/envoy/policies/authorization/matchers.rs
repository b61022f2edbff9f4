//! Values of policies as Envoy's matchers. A star at the beginning or end of a value stands for anything.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::envoy::message::{HeaderMatcher, Json, Str, StringMatcher};
use crate::values::regex::quoted;

/// A value with a star at one end, or alone.
pub(super) fn text(value: &str) -> StringMatcher {
    if value == "*" {
        return StringMatcher::regex(".+");
    }
    if let Some(suffix) = value.strip_prefix('*') {
        return StringMatcher::suffix(suffix);
    }
    match value.strip_suffix('*') {
        Some(prefix) => StringMatcher::prefix(prefix),
        None => StringMatcher::exact(value),
    }
}

/// The same behind a fixed beginning; there a suffix takes a regular expression.
pub(super) fn text_after(start: &str, value: &str) -> StringMatcher {
    if value == "*" {
        return StringMatcher::regex(".+");
    }
    if let Some(suffix) = value.strip_prefix('*') {
        return StringMatcher::regex(format!("{start}.*{}", quoted(suffix)));
    }
    match value.strip_suffix('*') {
        Some(prefix) => StringMatcher::prefix(format!("{start}{prefix}")),
        None => StringMatcher::exact(format!("{start}{value}")),
    }
}

/// A header; any value of it for a star.
pub(super) fn header(name: &str, value: &str, ignore_case: bool) -> HeaderMatcher {
    let name = Str::new(name);
    if value == "*" {
        return HeaderMatcher {
            name,
            present_match: Some(true),
            ..HeaderMatcher::default()
        };
    }
    let matcher = StringMatcher {
        ignore_case,
        ..text(value)
    };
    HeaderMatcher {
        name,
        string_match: Some(matcher),
        ..HeaderMatcher::default()
    }
}

/// A path with segments in braces, as Envoy's template.
pub(super) fn path_template(value: &str) -> Option<Json> {
    if !value.contains("{*}") && !value.contains("{**}") {
        return None;
    }
    let template = value.replace("{*}", "*").replace("{**}", "**");
    Some(Arc::new(json!({
        "name": "uri-template",
        "typedConfig": {
            "@type": "type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig",
            "pathTemplate": template,
        },
    })))
}

/// A claim of a token: the payload of the JWT filter. The claim is one of the values, or a list that holds one of them.
pub(super) fn claim(path: &[&str], values: &[Str]) -> Json {
    let alternatives = one_of(values.iter().map(|value| json!({"stringMatch": text(value)})).collect());
    payload(
        path,
        &json!({"orMatch": {"valueMatchers": [{"listMatch": {"oneOf": alternatives}}, alternatives]}}),
    )
}

/// A claim that is a single text.
pub(super) fn payload_text(name: &str, matcher: &StringMatcher) -> Json {
    payload(&[name], &json!({"stringMatch": matcher}))
}

fn payload(path: &[&str], value: &Value) -> Json {
    let path = std::iter::once(&"payload").chain(path);
    let keys: Vec<Value> = path.map(|key| json!({"key": key})).collect();
    metadata("envoy.filters.http.jwt_authn", &keys, value)
}

/// What a filter says of the request; a value in brackets is an element of a list.
pub(super) fn filter_metadata(filter: &str, key: &str, values: &[Str]) -> Json {
    let matchers = values.iter().map(|value| {
        let element = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
        match element {
            Some(element) => json!({"listMatch": {"oneOf": {"stringMatch": text(element)}}}),
            None => json!({"stringMatch": text(value)}),
        }
    });
    metadata(filter, &[json!({"key": key})], &one_of(matchers.collect()))
}

fn metadata(filter: &str, path: &[Value], value: &Value) -> Json {
    Arc::new(json!({"filter": filter, "path": path, "value": value}))
}

fn one_of(mut matchers: Vec<Value>) -> Value {
    match matchers.len() {
        1 => matchers.remove(0),
        _ => json!({"orMatch": {"valueMatchers": matchers}}),
    }
}
