//! Hosts as istiod reads them. Source: catalogue of the webhook, 3.1 and 3.2.

use std::fmt;

/// Why a text is no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault<'t> {
    /// Nothing stands there.
    Empty,
    /// It has more than 255 bytes.
    TooLong,
    /// The last label is a number, as in an IP address.
    NumericEnd,
    /// A label has another form than letters, digits and inner dashes, or more than 63 of them.
    Label(&'t str),
    /// A `*` stands elsewhere than in the first label.
    Wildcard,
    /// It has no dot.
    Short,
    /// A `*` is only a part of the first label.
    PartialWildcard,
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Empty => f.write_str("it is empty"),
            Fault::TooLong => f.write_str("it has more than 255 bytes"),
            Fault::NumericEnd => f.write_str("its last label is a number"),
            Fault::Label("") => f.write_str("a label is empty"),
            Fault::Label(label) if label.len() > 63 => f.write_str("a label has more than 63 characters"),
            Fault::Label(label) => write!(f, "`{label}` may only have letters, digits and inner dashes"),
            Fault::Wildcard => f.write_str("`*` may stand only at its beginning"),
            Fault::Short => f.write_str("it has no dot, and short names are not completed here"),
            Fault::PartialWildcard => f.write_str("`*` must be a whole label, as in `*.example.com`"),
        }
    }
}

/// Whether a text is a DNS label: up to 63 letters, digits and inner dashes; upper case counts.
pub fn is_dns_label(text: &str) -> bool {
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    bytes.len() <= 63
        && edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
}

/// Judges a host without wildcards; a final dot is allowed.
///
/// # Errors
///
/// The first fault of the text.
pub fn check_fqdn(text: &str) -> Result<(), Fault<'_>> {
    check_length(text)?;
    check_labels(text)
}

/// Judges a host whose first label may be `*`, or begin with `*`.
///
/// # Errors
///
/// The first fault of the text.
pub fn check_wildcard(text: &str) -> Result<(), Fault<'_>> {
    check_length(text)?;
    let (head, tail) = text
        .split_once('.')
        .map_or((text, None), |(head, tail)| (head, Some(tail)));
    let rest = head
        .strip_prefix("*-")
        .or_else(|| head.strip_prefix('*'))
        .unwrap_or(head);
    let good = head == "*" || (head.len() <= 63 && is_dns_label(rest));
    if !good {
        return Err(label_fault(head));
    }
    tail.filter(|tail| !tail.is_empty()).map_or(Ok(()), check_labels)
}

/// Judges a host of a gateway's server or of a sidecar's scope: `*`, a full name, or one whose first label is `*`.
///
/// # Errors
///
/// The first fault of the text.
pub fn check_full(text: &str) -> Result<(), Fault<'_>> {
    if text == "*" {
        return Ok(());
    }
    if !text.is_empty() && !text.contains('.') {
        return Err(Fault::Short);
    }
    if text.starts_with('*') && !text.starts_with("*.") {
        return Err(Fault::PartialWildcard);
    }
    check_wildcard(text)
}

fn check_length(text: &str) -> Result<(), Fault<'_>> {
    match text.len() {
        0 => Err(Fault::Empty),
        1..=255 => Ok(()),
        _ => Err(Fault::TooLong),
    }
}

fn check_labels(text: &str) -> Result<(), Fault<'_>> {
    let last = text.rsplit('.').next().unwrap_or_default();
    let digits = last.strip_prefix(['+', '-']).unwrap_or(last);
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Fault::NumericEnd);
    }
    let labels = text.strip_suffix('.').unwrap_or(text);
    match labels.split('.').find(|label| !is_dns_label(label)) {
        Some(label) => Err(label_fault(label)),
        None => Ok(()),
    }
}

fn label_fault(label: &str) -> Fault<'_> {
    if label.contains('*') {
        Fault::Wildcard
    } else {
        Fault::Label(label)
    }
}

/// Whether some host fits both patterns. Letter case counts, as it does for istiod.
pub fn overlap(a: &str, b: &str) -> bool {
    match (a.strip_prefix('*'), b.strip_prefix('*')) {
        (Some(a), Some(b)) => a.ends_with(b) || b.ends_with(a),
        (Some(tail), None) => b.ends_with(tail),
        (None, Some(tail)) => a.ends_with(tail),
        (None, None) => a == b,
    }
}

/// Whether every host that fits `pattern` fits `by` as well. `*.foo.com` does not cover `foo.com`.
pub fn is_covered(pattern: &str, by: &str) -> bool {
    match (pattern.strip_prefix('*'), by.strip_prefix('*')) {
        (Some(tail), Some(by)) => tail.ends_with(by),
        (Some(_), None) => false,
        (None, Some(by)) => pattern.ends_with(by),
        (None, None) => pattern == by,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_judged_by_their_labels() {
        for good in ["a", "A.b", "a.b.", "reviews.shop.svc.cluster.local", "1.a"] {
            assert_eq!(check_fqdn(good), Ok(()), "{good}");
        }
        assert_eq!(check_fqdn(""), Err(Fault::Empty));
        assert_eq!(check_fqdn("1.2.3.4"), Err(Fault::NumericEnd));
        assert_eq!(check_fqdn("a_b.c"), Err(Fault::Label("a_b")));
        assert_eq!(check_fqdn("a..c"), Err(Fault::Label("")));
        assert_eq!(check_fqdn("*.c"), Err(Fault::Wildcard));
        assert_eq!(check_fqdn(&"a.".repeat(200)), Err(Fault::TooLong));
        for good in ["*", "*.com", "foo", "foo.", "1", "*-foo.com", "*foo.com"] {
            assert_eq!(check_wildcard(good), Ok(()), "{good}");
        }
        for bad in ["a.*.c", "a_b.c", "1.2.3.4", "*.1", "**", "", "-a.b"] {
            assert!(check_wildcard(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn full_hosts_have_a_dot_and_no_partial_wildcard() {
        for good in ["*", "*.com", "a.b", "a.", "reviews.shop.svc.cluster.local"] {
            assert_eq!(check_full(good), Ok(()), "{good}");
        }
        assert_eq!(check_full(""), Err(Fault::Empty));
        assert_eq!(check_full("reviews"), Err(Fault::Short));
        assert_eq!(check_full("*foo.com"), Err(Fault::PartialWildcard));
        assert_eq!(check_full("a.*.com"), Err(Fault::Wildcard));
        assert_eq!(check_full("10.0.0.1"), Err(Fault::NumericEnd));
    }

    #[test]
    fn patterns_compare_by_their_tails() {
        assert!(overlap("*.com", "*.foo.com"));
        assert!(overlap("a.foo.com", "*.com"));
        assert!(!overlap("foo.com", "*.foo.com"));
        assert!(is_covered("a.foo.com", "*.foo.com"));
        assert!(is_covered("*.foo.com", "*"));
        assert!(!is_covered("*.com", "*.foo.com"));
        assert!(!is_covered("foo.com", "*.foo.com"));
    }
}
