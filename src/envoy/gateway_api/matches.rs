//! The matches of HTTPRoutes and GRPCRoutes.

use super::precedence::Precedence;
use crate::envoy::message::{Origin, Str};
use crate::envoy::routing::model::{HttpMatch, PathMatch, TextMatch};
use crate::model::Text;
use crate::model::gateway_api::{GrpcMethodMatch, GrpcRouteMatch, HttpPathMatch, HttpRouteMatch};

/// A match, `None` for every request, and the place that its rule takes among others.
pub type Ranked = (Option<HttpMatch>, Precedence);

fn text<'a>(text: Option<&Text<'a>>) -> &'a str {
    text.map_or("", |text| text.as_str())
}

/// The matches of a rule of an HTTPRoute. One without any stands where `/` would.
pub fn of_http(matches: &[HttpRouteMatch<'_>]) -> Vec<Ranked> {
    if matches.is_empty() {
        return vec![(None, Precedence::of_prefix("/"))];
    }
    let ranked = matches.iter().map(|written| {
        let path = http_path(written.path.as_deref());
        let lowered = HttpMatch {
            method: written.method.map(|method| TextMatch::Exact(Str::new(method.as_str()))),
            headers: conditions(
                written
                    .headers
                    .iter()
                    .map(|header| (header.name, header.type_name, header.value)),
            ),
            query: conditions(
                written
                    .query_params
                    .iter()
                    .map(|query| (query.name, query.type_name, query.value)),
            ),
            path: Some(path),
            origin: Origin::of(written.span),
            ..HttpMatch::default()
        };
        let precedence = Precedence::of_match(&lowered);
        (Some(lowered), precedence)
    });
    ranked.collect()
}

/// A path; `/` where none is written. Prefixes hold for whole segments, so that a slash at their end says nothing.
fn http_path(path: Option<&HttpPathMatch<'_>>) -> PathMatch {
    let value = path.and_then(|path| path.value).map_or("/", |value| value.as_str());
    match path
        .and_then(|path| path.type_name)
        .map_or("PathPrefix", |name| name.as_str())
    {
        "Exact" => PathMatch::Exact(Str::new(value)),
        "RegularExpression" => PathMatch::Regex(Str::new(value)),
        _ => prefix(value),
    }
}

fn prefix(value: &str) -> PathMatch {
    match value.trim_end_matches('/') {
        "" => PathMatch::Prefix(Str::new_static("/")),
        segments => PathMatch::Segments(Str::new(segments)),
    }
}

/// Conditions on headers or parameters, sorted by name; the last of a name holds.
fn conditions<'a>(
    written: impl Iterator<Item = (Option<Text<'a>>, Option<Text<'a>>, Option<Text<'a>>)>,
) -> Vec<(Str, TextMatch)> {
    let mut all = std::collections::BTreeMap::new();
    for (name, kind, value) in written {
        let value = Str::new(text(value.as_ref()));
        let condition = match text(kind.as_ref()) {
            "RegularExpression" => TextMatch::Regex(value),
            _ => TextMatch::Exact(value),
        };
        all.insert(Str::new(text(name.as_ref())), condition);
    }
    all.into_iter().collect()
}

/// The matches of a rule of a GRPCRoute.
pub fn of_grpc(matches: &[GrpcRouteMatch<'_>]) -> Vec<Ranked> {
    if matches.is_empty() {
        return vec![(None, Precedence::last())];
    }
    let ranked = matches.iter().map(|written| {
        let lowered = HttpMatch {
            path: written.method.as_deref().and_then(grpc_path),
            headers: conditions(
                written
                    .headers
                    .iter()
                    .map(|header| (header.name, header.type_name, header.value)),
            ),
            origin: Origin::of(written.span),
            ..HttpMatch::default()
        };
        let precedence = Precedence::of_match(&lowered);
        (Some(lowered), precedence)
    });
    ranked.collect()
}

/// The path of a call is `/service/method`.
fn grpc_path(call: &GrpcMethodMatch<'_>) -> Option<PathMatch> {
    let written = |text: Option<Text<'_>>| text.filter(|text| !text.is_empty()).map(|text| text.to_string());
    let is_regex = call.type_name.is_some_and(|name| name.as_str() == "RegularExpression");
    Some(match (written(call.service), written(call.method)) {
        (None, None) => return None,
        (Some(service), Some(method)) if is_regex => PathMatch::Regex(Str::from(format!("/{service}/{method}"))),
        (Some(service), Some(method)) => PathMatch::Exact(Str::from(format!("/{service}/{method}"))),
        (Some(service), None) if is_regex => PathMatch::Regex(Str::from(format!("/{service}/.+"))),
        (Some(service), None) => PathMatch::Segments(Str::from(format!("/{service}"))),
        (None, Some(method)) => PathMatch::Regex(Str::from(format!("/[^/]+/{method}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_of_a_prefix_says_nothing() {
        assert_eq!(prefix("/"), PathMatch::Prefix("/".into()));
        assert_eq!(prefix("/a/"), PathMatch::Segments("/a".into()));
        assert_eq!(prefix("/a"), PathMatch::Segments("/a".into()));
    }
}
