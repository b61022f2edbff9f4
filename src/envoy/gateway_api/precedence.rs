//! Which of several rules on one host is asked first.

use std::cmp::Reverse;

use crate::envoy::routing::model::{HttpMatch, PathMatch};

/// The place of a rule: exact paths, then longer prefixes, then longer regular expressions, then no path; then those with a
/// method, with more headers, with more parameters. Less is earlier (catalogue: gateways, 59).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Precedence {
    kind: Kind,
    length: Reverse<usize>,
    without_method: bool,
    headers: Reverse<usize>,
    parameters: Reverse<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Exact,
    Prefix,
    Regex,
    NoPath,
    NoMatch,
}

impl Precedence {
    /// The place of a match.
    pub fn of_match(condition: &HttpMatch) -> Self {
        let (kind, length) = match &condition.path {
            Some(PathMatch::Exact(path)) => (Kind::Exact, path.len()),
            Some(PathMatch::Prefix(path) | PathMatch::Segments(path)) => (Kind::Prefix, path.len()),
            Some(PathMatch::Regex(path)) => (Kind::Regex, path.len()),
            None => (Kind::NoPath, 0),
        };
        Self {
            kind,
            length: Reverse(length),
            without_method: condition.method.is_none(),
            headers: Reverse(condition.headers.len()),
            parameters: Reverse(condition.query.len()),
        }
    }

    /// The place of a match that is a prefix and nothing else.
    pub fn of_prefix(prefix: &str) -> Self {
        Self {
            kind: Kind::Prefix,
            length: Reverse(prefix.len()),
            ..Self::last()
        }
    }

    /// The place after every match.
    pub fn last() -> Self {
        Self {
            kind: Kind::NoMatch,
            length: Reverse(0),
            without_method: true,
            headers: Reverse(0),
            parameters: Reverse(0),
        }
    }
}
