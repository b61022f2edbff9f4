//! Plain scalars as the Kubernetes API server resolves them: YAML 1.1 booleans and numbers.

use std::borrow::Cow;

/// What a scalar is once resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'t> {
    /// `null`, `~` or nothing.
    Null,
    /// Also `yes`, `no`, `on`, `off`, `y`, `n`.
    Bool(bool),
    /// Also octal, hexadecimal and binary.
    Int(i64),
    /// A number that is no whole number, or too large for one.
    Float(f64),
    /// Everything else.
    Text(&'t str),
}

/// Resolves a plain scalar.
pub fn resolve(text: &str) -> Scalar<'_> {
    let Some(first) = text.bytes().next() else {
        return Scalar::Null;
    };
    match first {
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(text).unwrap_or(Scalar::Text(text)),
        b'~' | b'n' | b'N' | b'y' | b'Y' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => word(text),
        _ => Scalar::Text(text),
    }
}

fn word(text: &str) -> Scalar<'_> {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => Scalar::Bool(false),
        _ => Scalar::Text(text),
    }
}

fn number(text: &str) -> Option<Scalar<'_>> {
    match text.trim_start_matches(['+', '-']) {
        ".inf" | ".Inf" | ".INF" => return Some(Scalar::Float(f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" => return Some(Scalar::Float(f64::NAN)),
        _ => {}
    }
    let digits: Cow<'_, str> = if text.contains('_') {
        text.replace('_', "").into()
    } else {
        text.into()
    };
    integer(&digits)
        .map(Scalar::Int)
        .or_else(|| float(&digits).map(Scalar::Float))
}

fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', rest @ ..] if !rest.is_empty() && rest.iter().all(|b| (b'0'..=b'7').contains(b)) => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let value = i128::from(u64::from_str_radix(digits, radix).ok()?);
    i64::try_from(if negative { -value } else { value }).ok()
}

/// `-?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, the form Go's YAML reads as a float.
fn float(text: &str) -> Option<f64> {
    let body = text.trim_start_matches(['+', '-']);
    if text.len() - body.len() > 1 {
        return None;
    }
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = body.split_once(['e', 'E']).map_or((body, None), |(m, e)| (m, Some(e)));
    let well_formed = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    let exponent_good = exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)));
    if well_formed && exponent_good {
        text.parse().ok()
    } else {
        None
    }
}

/// A mapping key as the JSON key that the API server sees.
pub fn key(text: &str) -> Cow<'_, str> {
    match resolve(text) {
        Scalar::Bool(value) => Cow::Borrowed(if value { "true" } else { "false" }),
        Scalar::Int(value) => Cow::Owned(value.to_string()),
        Scalar::Float(value) => Cow::Owned(value.to_string()),
        Scalar::Null | Scalar::Text(_) => Cow::Borrowed(text),
    }
}

/// Whether a text holds what a later step replaces (`{{ … }}`, `${…}`, `$(…)`, `$NAME`, `<name>`, `__NAME__`), so that its
/// value is not known here.
pub fn is_placeholder(text: &str) -> bool {
    let bytes = text.as_bytes();
    let opens = |at: usize| match bytes[at] {
        b'{' => bytes.get(at + 1) == Some(&b'{'),
        b'$' => bytes
            .get(at + 1)
            .is_some_and(|next| matches!(next, b'{' | b'(' | b'_') || next.is_ascii_alphabetic()),
        _ => text[at..].contains('>'),
    };
    memchr::memchr3_iter(b'{', b'$', b'<', bytes).any(opens) || text.contains("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_resolve_as_kubectl_resolves_them() {
        let numbers = [
            ("010", 8),
            ("0o10", 8),
            ("0x1F", 31),
            ("0b11", 3),
            ("0B11", 3),
            ("1_000", 1000),
            ("+1", 1),
            ("-0", 0),
            ("08", 8),
        ];
        for (text, value) in numbers {
            assert_eq!(resolve(text), Scalar::Int(value), "{text}");
        }
        for (text, value) in [("1.0", 1.0), ("1e3", 1000.0), (".5", 0.5), ("1.", 1.0), ("-2.5", -2.5)] {
            assert_eq!(resolve(text), Scalar::Float(value), "{text}");
        }
        for text in [
            "12:30:45",
            "2001-01-01",
            "=",
            "0x",
            "0o8",
            ".e1",
            "1.30.1",
            "v1",
            "-",
            "--1",
            "1-2",
            "nope",
            "10.0.0.0/8",
        ] {
            assert_eq!(resolve(text), Scalar::Text(text), "{text}");
        }
        for text in ["yes", "On", "Y", "TRUE"] {
            assert_eq!(resolve(text), Scalar::Bool(true), "{text}");
        }
        for text in ["", "~", "null"] {
            assert_eq!(resolve(text), Scalar::Null, "{text}");
        }
        for text in ["{{ x }}", "a-${X}", "$(X)", "$BACKEND", "<host>", "__HOST__"] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["a", "$", "a{b}", "a<b", "a_b", "5$"] {
            assert!(!is_placeholder(text), "{text}");
        }
        assert_eq!(key("on"), "true");
        assert_eq!(key("0x10"), "16");
        assert_eq!(key("1.5"), "1.5");
    }
}
