//! Authorization policies as istiod reads them: entries of their lists, attributes of their conditions.

use super::address::is_address_or_prefix;

/// What an entry must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `name` or `namespace/name`.
    ServiceAccount,
    /// A trust domain, perhaps with a `*` at one end.
    TrustDomain,
    /// The same in a condition, where slashes are not looked at.
    TrustDomainPattern,
    /// The number of a port.
    Port,
    /// An address or a prefix.
    Address,
    /// A path, perhaps with `{*}` and `{**}` for segments.
    Path,
}

impl Form {
    /// Why a text does not have the form, in words that continue "because".
    pub fn fault(self, text: &str) -> Option<&'static str> {
        match self {
            Form::ServiceAccount => service_account(text),
            Form::TrustDomain if text.contains('/') => Some("a trust domain has no `/`"),
            Form::TrustDomain | Form::TrustDomainPattern => trust_domain(text),
            Form::Port => port(text),
            Form::Address => (!is_address_or_prefix(text)).then_some("it is neither an IP address nor a CIDR block"),
            Form::Path => path(text),
        }
    }
}

fn service_account(text: &str) -> Option<&'static str> {
    let mut parts = text.split('/');
    if text.contains('*') {
        Some("a service account takes no `*`")
    } else if text.len() > 320 {
        Some("it has more than 320 characters")
    } else if parts.clone().count() > 2 {
        Some("it has more than `namespace/name`")
    } else if parts.any(str::is_empty) {
        Some("namespace or name is empty")
    } else {
        None
    }
}

fn trust_domain(text: &str) -> Option<&'static str> {
    let inner = text
        .strip_prefix('*')
        .or_else(|| text.strip_suffix('*'))
        .unwrap_or(text);
    inner
        .contains('*')
        .then_some("it takes one `*`, at its beginning or end")
}

fn port(text: &str) -> Option<&'static str> {
    let number = text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u16>().is_ok();
    (!number).then_some("it is no port number; ranges and names are not taken")
}

const ONE: &str = "{*}";
const REST: &str = "{**}";

fn path(text: &str) -> Option<&'static str> {
    let segments = || text.trim_matches('/').split('/');
    let is_operator = |segment: &str| segment == ONE || segment == REST;
    if segments()
        .skip_while(|segment| *segment != REST)
        .skip(1)
        .any(is_operator)
    {
        return Some("no `{*}` or `{**}` may follow a `{**}`");
    }
    let mut literals = segments().filter(|segment| !is_operator(segment));
    if literals.clone().any(|segment| segment.contains(['{', '}'])) {
        return Some("`{*}` and `{**}` stand for whole segments, and other braces mean nothing");
    }
    let has_operator = segments().any(is_operator);
    let literal = |segment: &str| !segment.is_empty() && segment.bytes().all(is_path_byte);
    (has_operator && !literals.all(literal)).then_some("beside `{*}` and `{**}` a segment must be literal, without `*`")
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()+,;:@=".contains(&byte)
}

/// Attributes of conditions, with the form of their values where they have one. Those in brackets are apart.
const ATTRIBUTES: &[(&str, Option<Form>)] = &[
    ("source.ip", Some(Form::Address)),
    ("remote.ip", Some(Form::Address)),
    ("source.namespace", None),
    ("source.serviceAccount", Some(Form::ServiceAccount)),
    ("source.trustDomain", Some(Form::TrustDomainPattern)),
    ("source.principal", None),
    ("request.auth.principal", None),
    ("request.auth.audiences", None),
    ("request.auth.presenter", None),
    ("destination.ip", Some(Form::Address)),
    ("destination.port", Some(Form::Port)),
    ("connection.sni", None),
];

/// Attributes of maps, whose key stands in brackets.
const MAPS: [&str; 3] = ["request.headers", "request.auth.claims", "experimental.envoy.filters."];

/// Attributes that selectors took the place of.
const RETIRED: [&str; 3] = ["destination.namespace", "destination.name", "destination.user"];

/// Why a text is no attribute of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// It names a map, and nothing in it.
    Keyless,
    /// It was one once.
    Retired,
    /// There is none of this name.
    Unknown,
}

/// The form of the values that go with an attribute of a condition; none where every text goes.
///
/// # Errors
///
/// Why the text is no attribute.
pub fn attribute(key: &str) -> Result<Option<Form>, KeyFault> {
    if MAPS.iter().any(|map| key.starts_with(map)) {
        let inner = key.strip_suffix(']').and_then(|rest| rest.split_once('['));
        return match inner {
            Some((_, inner)) if !inner.is_empty() => Ok(None),
            _ => Err(KeyFault::Keyless),
        };
    }
    match ATTRIBUTES.iter().find(|(name, _)| *name == key) {
        Some((_, form)) => Ok(*form),
        None if RETIRED.contains(&key) || key.starts_with("destination.labels") => Err(KeyFault::Retired),
        None => Err(KeyFault::Unknown),
    }
}

/// The attributes that stand alone.
pub fn attributes() -> impl Iterator<Item = &'static str> {
    ATTRIBUTES.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_known_by_name_or_by_their_map() {
        assert_eq!(attribute("source.ip"), Ok(Some(Form::Address)));
        for free in ["connection.sni", "request.headers[x]", "request.auth.claims[a][b]"] {
            assert_eq!(attribute(free), Ok(None), "{free}");
        }
        for keyless in [
            "request.headers",
            "request.headers[]",
            "request.auth.claims[a",
            "request.headers]",
        ] {
            assert_eq!(attribute(keyless), Err(KeyFault::Keyless), "{keyless}");
        }
        assert_eq!(attribute("destination.labels[app]"), Err(KeyFault::Retired));
        assert_eq!(attribute("source.ips"), Err(KeyFault::Unknown));
        assert_eq!(attribute(""), Err(KeyFault::Unknown));
    }

    #[test]
    fn entries_have_their_forms() {
        let good = [
            (Form::ServiceAccount, &["sa", "ns/sa"][..]),
            (Form::TrustDomain, &["td", "*", "*.local", "old*"]),
            (Form::TrustDomainPattern, &["a/b"]),
            (Form::Port, &["0", "80", "65535"]),
            (Form::Address, &["10.0.0.1", "10.0.0.0/8", "::1"]),
            (
                Form::Path,
                &["/", "/a*", "*", "/a/{*}/b/{**}", "/{**}", "/{**}/b", "/a//b", "/a b"],
            ),
        ];
        for (form, texts) in good {
            for text in texts {
                assert_eq!(form.fault(text), None, "{form:?} {text}");
            }
        }
        let bad = [
            (Form::ServiceAccount, &["a/b/c", "ns/*", "/sa", "ns/"][..]),
            (Form::TrustDomain, &["a/b", "a*b", "**", "*a*"]),
            (Form::TrustDomainPattern, &["a*b"]),
            (Form::Port, &["65536", "-1", "+1", "80-90", "http", "80.0"]),
            (Form::Address, &["a.b.c.d", "10.0.0.0/33"]),
            (
                Form::Path,
                &[
                    "/{id}",
                    "/a{*}",
                    "/{**}/{*}",
                    "/{**}/{**}",
                    "/{*}/b*",
                    "/a//{*}",
                    "/{*",
                    "/{*}/a b",
                ],
            ),
        ];
        for (form, texts) in bad {
            for text in texts {
                assert!(form.fault(text).is_some(), "{form:?} {text}");
            }
        }
    }
}
