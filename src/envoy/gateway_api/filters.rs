//! Filters of routes: changes to headers, copies, redirects, rewrites, cross-origin rules.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Context;
use super::backends::Referrer;
use crate::envoy::message::{FractionalPercent, HeaderValue, HeaderValueOption, Json, Str};
use crate::envoy::routing::model::{HeaderChanges, Mirror, Redirect, RedirectPort, Rewrite};
use crate::model::Text;
use crate::model::gateway_api::{
    Fraction, HttpHeader, HttpHeaderFilter, HttpPathModifier, HttpRequestMirrorFilter, HttpRequestRedirectFilter,
    HttpcorsFilter, HttpurlRewriteFilter,
};
use crate::values::regex::quoted;

/// Puts changes to the headers of requests.
pub fn request_headers(changes: &mut HeaderChanges, filter: &HttpHeaderFilter<'_>) {
    let mut values = values(filter);
    let is_host = |value: &HeaderValueOption| value.header.key == "host" || value.header.key == ":authority";
    changes.host = values
        .iter()
        .find(|value| is_host(value))
        .map(|value| value.header.value.clone());
    values.retain(|value| !is_host(value));
    changes.request = values;
    changes.request_remove = removed(filter);
}

/// Puts changes to the headers of responses.
pub fn response_headers(changes: &mut HeaderChanges, filter: &HttpHeaderFilter<'_>) {
    changes.response = values(filter);
    changes.response_remove = removed(filter);
}

fn removed(filter: &HttpHeaderFilter<'_>) -> Vec<Str> {
    filter.remove.iter().map(|name| Str::new(name.as_str())).collect()
}

/// What is set and what is added, each sorted by name; of one name the first counts.
fn values(filter: &HttpHeaderFilter<'_>) -> Vec<HeaderValueOption> {
    let list = |headers: &[HttpHeader<'_>], append_action: &'static str| {
        let written = headers.iter().filter_map(|header| Some((header.name?, header.value)));
        let mut values: Vec<HeaderValueOption> = written
            .map(|(name, value)| HeaderValueOption {
                header: HeaderValue {
                    key: Str::from(name.to_ascii_lowercase()),
                    value: value.map_or(Str::default(), |value| Str::new(value.as_str())),
                },
                append_action,
            })
            .collect();
        values.sort_by(|a, b| a.header.key.cmp(&b.header.key));
        values.dedup_by(|later, kept| later.header.key == kept.header.key);
        values
    };
    let mut all = list(&filter.set, "OVERWRITE_IF_EXISTS_OR_ADD");
    all.extend(list(&filter.add, ""));
    all
}

/// A sharing of copies; none where the backend does not exist or has no port.
pub fn mirror(
    context: &Context<'_, '_, '_>,
    filter: &HttpRequestMirrorFilter<'_>,
    referrer: Referrer<'_, '_>,
) -> Option<Mirror> {
    let resolved = context.resolve(&filter.backend_ref.as_deref()?.into(), referrer)?;
    let share = match (filter.percent, filter.fraction.as_deref()) {
        (Some(percent), _) => Some(FractionalPercent::exact(small(percent.value))),
        (None, Some(fraction)) => Some(FractionalPercent::exact(percentage(fraction))),
        (None, None) => None,
    };
    (resolved.exists && share.as_ref().is_none_or(|share| share.numerator > 0)).then_some(Mirror {
        destination: resolved.destination,
        share,
    })
}

fn percentage(fraction: &Fraction) -> f64 {
    let numerator = fraction.numerator.map_or(0.0, |numerator| small(numerator.value));
    let denominator = fraction
        .denominator
        .map_or(100.0, |denominator| small(denominator.value));
    if denominator == 0.0 {
        0.0
    } else {
        100.0 * numerator / denominator
    }
}

fn small(number: i64) -> f64 {
    f64::from(i32::try_from(number).unwrap_or(i32::MAX))
}

/// A redirect. A scheme without a port means the scheme's own port, neither means that of the request.
pub fn redirect(filter: &HttpRequestRedirectFilter<'_>) -> Redirect {
    let some = |text: Option<Text<'_>>| text.map(|text| Str::new(text.as_str()));
    let port = filter.port.and_then(|port| u32::try_from(port.value).ok());
    let status = filter
        .status_code
        .map_or(302, |status| u32::try_from(status.value).unwrap_or(302));
    Redirect {
        uri: filter.path.as_deref().and_then(|path| full_path(path)),
        prefix: filter.path.as_deref().and_then(|path| prefix(path)),
        authority: some(filter.hostname),
        scheme: some(filter.scheme),
        port: match (port, filter.scheme) {
            (Some(port), _) => RedirectPort::Number(port),
            (None, Some(_)) => RedirectPort::FromProtocolDefault,
            (None, None) => RedirectPort::FromRequestPort,
        },
        status,
    }
}

fn full_path(path: &HttpPathModifier<'_>) -> Option<Str> {
    let is_full = path.type_name.is_some_and(|name| name.as_str() == "ReplaceFullPath");
    is_full.then(|| {
        path.replace_full_path
            .map_or(Str::default(), |path| Str::new(path.as_str()))
    })
}

fn prefix(path: &HttpPathModifier<'_>) -> Option<Str> {
    let is_prefix = path.type_name.is_some_and(|name| name.as_str() == "ReplacePrefixMatch");
    is_prefix.then(|| {
        path.replace_prefix_match
            .map_or(Str::default(), |path| Str::new(path.as_str()))
    })
}

/// A rewrite of a request.
pub fn rewrite(filter: &HttpurlRewriteFilter<'_>) -> Option<Rewrite> {
    let path = filter.path.as_deref();
    let uri = path.and_then(prefix).map(|prefix| match prefix.strip_suffix('/') {
        Some("") => Str::new_static("/"),
        Some(prefix) => Str::new(prefix),
        None if prefix.is_empty() => Str::new_static("/"),
        None => prefix,
    });
    let rewrite = Rewrite {
        uri,
        uri_regex: path.and_then(full_path).map(|path| (Str::new_static("/.*"), path)),
        authority: filter.hostname.map(|host| Str::new(host.as_str())),
    };
    let is_empty = rewrite.uri.is_none() && rewrite.uri_regex.is_none() && rewrite.authority.is_none();
    (!is_empty).then_some(rewrite)
}

/// Cross-origin rules as Envoy's filter takes them.
pub fn cors(filter: &HttpcorsFilter<'_>) -> Json {
    let mut policy = Map::new();
    let kind = "type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy";
    policy.insert("@type".into(), kind.into());
    let origins: Vec<Value> = filter.allow_origins.iter().map(|text| origin(text.as_str())).collect();
    if !origins.is_empty() {
        policy.insert("allowOriginStringMatch".into(), origins.into());
    }
    let lists = [
        ("allowMethods", &filter.allow_methods),
        ("allowHeaders", &filter.allow_headers),
        ("exposeHeaders", &filter.expose_headers),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let joined = list.iter().map(Text::as_str).collect::<Vec<_>>().join(",");
        policy.insert(name.into(), joined.into());
    }
    let max_age = filter.max_age.map_or(5, |age| age.value);
    policy.insert("maxAge".into(), max_age.to_string().into());
    if let Some(allowed) = filter.allow_credentials {
        policy.insert("allowCredentials".into(), allowed.value.into());
    }
    policy.insert("filterEnabled".into(), json!({"defaultValue": {"numerator": 100}}));
    policy.insert("forwardNotMatchingPreflights".into(), false.into());
    Arc::new(policy.into())
}

/// `*` alone is any origin; within one it stands for any part of a host.
fn origin(text: &str) -> Value {
    match text {
        "*" => json!({"safeRegex": {"regex": r"^[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s?#]+$"}}),
        text if text.contains('*') => {
            let pattern = format!("^{}$", quoted(text).replace(r"\*", ".*"));
            json!({"safeRegex": {"regex": pattern}})
        }
        text => json!({"exact": text}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_with_a_star_are_anchored_patterns() {
        assert_eq!(origin("https://a.example"), json!({"exact": "https://a.example"}));
        let pattern = json!({"safeRegex": {"regex": r"^http://.*\.a\.example$"}});
        assert_eq!(origin("http://*.a.example"), pattern);
    }
}
