//! Changes to headers.

use crate::envoy::message::{HeaderValue, HeaderValueOption, Str};
use crate::envoy::routing::model::HeaderChanges;
use crate::model::Labels;
use crate::model::istio::{HeaderOperations, Headers};

/// Set headers come before added ones, each sorted by name. The host is no header but a rewrite (catalogue: routes, 42).
pub(super) fn changes(written: Option<&Headers<'_>>) -> HeaderChanges {
    let request = written.and_then(|headers| headers.request.as_ref());
    let response = written.and_then(|headers| headers.response.as_ref());
    HeaderChanges {
        request: request.map(added).unwrap_or_default(),
        request_remove: request.map(removed).unwrap_or_default(),
        response: response.map(added).unwrap_or_default(),
        response_remove: response.map(removed).unwrap_or_default(),
        host: request.and_then(host),
    }
}

fn removed(operations: &HeaderOperations<'_>) -> Vec<Str> {
    operations.remove.iter().map(|name| Str::new(name.as_str())).collect()
}

fn added(operations: &HeaderOperations<'_>) -> Vec<HeaderValueOption> {
    let set = options(&operations.set, "OVERWRITE_IF_EXISTS_OR_ADD");
    set.into_iter().chain(options(&operations.add, "")).collect()
}

fn options(headers: &Labels<'_>, append_action: &'static str) -> Vec<HeaderValueOption> {
    let mut entries: Vec<(&str, &str)> = headers.iter().filter(|(name, _)| !is_host(name)).collect();
    entries.sort_unstable();
    let option = |(name, value)| HeaderValueOption {
        header: HeaderValue {
            key: Str::new(name),
            value: Str::new(value),
        },
        append_action,
    };
    entries.into_iter().map(option).collect()
}

fn host(operations: &HeaderOperations<'_>) -> Option<Str> {
    let mut all = operations.set.iter().chain(operations.add.iter());
    all.find(|(name, _)| is_host(name)).map(|(_, value)| Str::new(value))
}

fn is_host(name: &str) -> bool {
    name.eq_ignore_ascii_case("host") || name.eq_ignore_ascii_case(":authority")
}
