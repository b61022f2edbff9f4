//! Conditions on requests.

use std::sync::Arc;

use serde_json::json;

use crate::envoy::message::{HeaderMatcher, Json, QueryParameterMatcher, RegexMatcher, RouteMatch, Str, StringMatcher};
use crate::envoy::routing::model::{HttpMatch, PathMatch, TextMatch};

/// Every request; that of a rule without conditions says nothing of letter case (catalogue: routes, 33).
pub(super) fn everything() -> RouteMatch {
    RouteMatch {
        prefix: Some(Str::new_static("/")),
        ..RouteMatch::default()
    }
}

/// The conditions of a match. Headers are sorted by name, with the parts of the request line behind them (catalogue: routes,
/// 36).
pub(super) fn of(entry: &HttpMatch) -> RouteMatch {
    let mut matched = path(entry.path.as_ref());
    matched.case_sensitive = Some(!entry.ignore_case);
    let positive = entry.headers.iter().map(|(name, condition)| (name, condition, false));
    let negative = entry
        .without_headers
        .iter()
        .map(|(name, condition)| (name, condition, true));
    let mut named: Vec<(&Str, &TextMatch, bool)> = positive.chain(negative).collect();
    named.sort_by_key(|(name, _, inverted)| (*name, *inverted));
    for (name, condition, inverted) in named {
        match claim(name) {
            Some(path) => matched.dynamic_metadata.push(claim_matcher(&path, condition, inverted)),
            None => matched.headers.push(header(name, condition, inverted)),
        }
    }
    let pseudo = [
        (":method", &entry.method),
        (":authority", &entry.authority),
        (":scheme", &entry.scheme),
    ];
    for (name, condition) in pseudo {
        matched.headers.extend(
            condition
                .iter()
                .map(|condition| header(&Str::new_static(name), condition, false)),
        );
    }
    matched.query_parameters = entry
        .query
        .iter()
        .map(|(name, condition)| parameter(name, condition))
        .collect();
    matched
}

fn path(condition: Option<&PathMatch>) -> RouteMatch {
    match condition {
        None => everything(),
        Some(PathMatch::Exact(path)) => RouteMatch {
            path: Some(path.clone()),
            ..RouteMatch::default()
        },
        Some(PathMatch::Prefix(path)) => RouteMatch {
            prefix: Some(path.clone()),
            ..RouteMatch::default()
        },
        Some(PathMatch::Segments(path)) => RouteMatch {
            path_separated_prefix: Some(path.clone()),
            ..RouteMatch::default()
        },
        Some(PathMatch::Regex(regex)) => RouteMatch {
            safe_regex: Some(RegexMatcher { regex: regex.clone() }),
            ..RouteMatch::default()
        },
    }
}

/// A header that must not match counts as empty where it is missing, unless only its presence matters (catalogue: routes, 37).
fn header(name: &Str, condition: &TextMatch, inverted: bool) -> HeaderMatcher {
    let string_match = string(condition);
    HeaderMatcher {
        name: name.clone(),
        present_match: string_match.is_none().then_some(true),
        invert_match: inverted,
        treat_missing_header_as_empty: inverted && string_match.is_some(),
        string_match,
    }
}

fn parameter(name: &Str, condition: &TextMatch) -> QueryParameterMatcher {
    let string_match = string(condition);
    QueryParameterMatcher {
        name: name.clone(),
        present_match: string_match.is_none().then_some(true),
        string_match,
    }
}

fn string(condition: &TextMatch) -> Option<StringMatcher> {
    match condition {
        TextMatch::Exact(text) => Some(StringMatcher::exact(text.clone())),
        TextMatch::Prefix(text) => Some(StringMatcher::prefix(text.clone())),
        TextMatch::Regex(text) if text == "*" => None,
        TextMatch::Regex(text) => Some(StringMatcher::regex(text.clone())),
        TextMatch::Present => None,
    }
}

/// The path of `@request.auth.claims.a.b` or `@request.auth.claims[a][b]`.
fn claim(header: &str) -> Option<Vec<&str>> {
    let rest = header.strip_prefix("@request.auth.claims")?;
    let parts: Vec<&str> = match rest.strip_prefix('.') {
        Some(rest) => rest.split('.').collect(),
        None => rest.strip_prefix('[')?.strip_suffix(']')?.split("][").collect(),
    };
    parts.iter().all(|part| !part.is_empty()).then_some(parts)
}

/// A condition on a claim, which may be a text or a list of texts (catalogue: RequestAuthentication, 26).
fn claim_matcher(path: &[&str], condition: &TextMatch, inverted: bool) -> Json {
    let value = match string(condition) {
        Some(string) => json!({"stringMatch": string}),
        None => json!({"presentMatch": true}),
    };
    let keys = std::iter::once("payload").chain(path.iter().copied());
    let keys: Vec<_> = keys.map(|key| json!({"key": key})).collect();
    let mut matcher = json!({
        "filter": "envoy.filters.http.jwt_authn",
        "path": keys,
        "value": {"orMatch": {"valueMatchers": [{"listMatch": {"oneOf": value}}, value]}},
    });
    if inverted {
        matcher["invert"] = true.into();
    }
    Arc::new(matcher)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_have_two_spellings() {
        assert_eq!(claim("@request.auth.claims.groups"), Some(vec!["groups"]));
        assert_eq!(claim("@request.auth.claims[a.b][c]"), Some(vec!["a.b", "c"]));
        assert_eq!(claim("x-claims"), None);
    }

    #[test]
    fn headers_are_sorted_and_inverted_ones_read_empty() {
        let exact = || TextMatch::Exact(Str::new("1"));
        let entry = HttpMatch {
            headers: vec![(Str::new("x-b"), exact())],
            without_headers: vec![(Str::new("x-a"), exact()), (Str::new("x-c"), TextMatch::Present)],
            ..HttpMatch::default()
        };
        let headers = of(&entry).headers;
        let names: Vec<&str> = headers.iter().map(|header| header.name.as_str()).collect();
        assert_eq!(names, ["x-a", "x-b", "x-c"]);
        assert!(headers[0].treat_missing_header_as_empty && !headers[2].treat_missing_header_as_empty);
    }
}
