//! What the functions of Kubernetes know: URLs, quantities, names, networks.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::value::Value;
use super::{Stop, time};
use crate::values::regex as re2;

/// A regular expression of RE2.
///
/// # Errors
/// What is wrong with it, in words.
pub fn regex(pattern: &str) -> Result<regex::Regex, String> {
    let translated = re2::to_rust(pattern).map_err(|fault| fault.to_string())?;
    regex::RegexBuilder::new(&translated)
        .size_limit(1 << 21)
        .dfa_size_limit(1 << 21)
        .build()
        .map_err(|_| "a regular expression is too large".to_owned())
}

/// Fills `%s`, `%d` and the like.
pub fn format(pattern: &str, values: &[Value<'_>]) -> Result<String, Stop> {
    let mut out = String::new();
    let mut values = values.iter();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let verb = after.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        let letter = verb
            .chars()
            .next()
            .ok_or_else(|| Stop::failed("`format` ends with `%`"))?;
        rest = &verb[letter.len_utf8()..];
        if letter == '%' {
            out.push('%');
            continue;
        }
        let value = values
            .next()
            .ok_or_else(|| Stop::failed("`format` has too few values"))?;
        match (letter, value) {
            (_, Value::Unknown) => return Err(Stop::Unknown),
            ('x', Value::Int(value)) => write!(out, "{value:x}"),
            ('X', Value::Int(value)) => write!(out, "{value:X}"),
            ('o', Value::Int(value)) => write!(out, "{value:o}"),
            ('b', Value::Int(value)) => write!(out, "{value:b}"),
            ('f', Value::Double(value)) => write!(out, "{value:.6}"),
            ('e', Value::Double(value)) => write!(out, "{value:e}"),
            ('s' | 'd', value) => {
                out.push_str(&shown(value, 0));
                Ok(())
            }
            _ => return Err(Stop::types("format", std::slice::from_ref(value))),
        }
        .map_err(|_| Stop::failed("`format` failed"))?;
    }
    out.push_str(rest);
    Ok(out)
}

/// A value as `%s` prints it.
fn shown(value: &Value<'_>, level: u32) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => value.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Type(name) => (*name).to_owned(),
        Value::List(items) if level < 8 => {
            let items: Vec<String> = items.iter().map(|item| shown(item, level + 1)).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.type_name().to_owned(),
    }
}

/// A URL as Go's `net/url` reads an absolute one.
#[derive(Debug)]
pub struct Url {
    pub text: String,
    pub scheme: String,
    /// With its port.
    pub host: String,
    pub path: String,
    query: String,
}

impl Url {
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.bytes().any(|b| b < 0x20 || b == 0x7F) {
            return None;
        }
        let (scheme, rest) = scheme(text)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url = Self {
            text: text.to_owned(),
            scheme: scheme.to_ascii_lowercase(),
            host: String::new(),
            path: String::new(),
            query: query.split('#').next().unwrap_or_default().to_owned(),
        };
        if !rest.starts_with('/') {
            return (!scheme.is_empty() || rest == "*").then_some(url);
        }
        let mut path = rest;
        if let Some(authority) = rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
            let end = authority.find('/').unwrap_or(authority.len());
            let host = authority[..end]
                .rsplit_once('@')
                .map_or(&authority[..end], |(_, host)| host);
            if !is_host(host) {
                return None;
            }
            host.clone_into(&mut url.host);
            path = &authority[end..];
        }
        if !escapes_well(path) {
            return None;
        }
        url.path = path.split('#').next().unwrap_or_default().replace(' ', "%20");
        Some(url)
    }

    /// The host without its port and without brackets.
    pub fn hostname(&self) -> String {
        match self.host.strip_prefix('[') {
            Some(inner) => inner.split(']').next().unwrap_or_default().to_owned(),
            None => self
                .host
                .rsplit_once(':')
                .map_or(&*self.host, |(host, _)| host)
                .to_owned(),
        }
    }

    /// The port; empty without one.
    pub fn port(&self) -> String {
        let after = self.host.rsplit_once(']').map_or(&*self.host, |(_, after)| after);
        after.rsplit_once(':').map_or("", |(_, port)| port).to_owned()
    }

    /// The parameters, each with its values.
    pub fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut all: Vec<(String, Vec<String>)> = Vec::new();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match all.iter_mut().find(|(known, _)| known == key) {
                Some((_, values)) => values.push(value.to_owned()),
                None => all.push((key.to_owned(), vec![value.to_owned()])),
            }
        }
        all
    }
}

/// The scheme, empty without one, and the rest. `None` where a `:` comes first.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let inside =
        |(at, b): (usize, u8)| b.is_ascii_alphabetic() || at > 0 && (b.is_ascii_digit() || b"+-.".contains(&b));
    let end = text
        .bytes()
        .enumerate()
        .position(|one| !inside(one))
        .unwrap_or(text.len());
    match text[end..].strip_prefix(':') {
        Some(_) if end == 0 => None,
        Some(rest) => Some((&text[..end], rest)),
        None => Some(("", text)),
    }
}

fn is_host(host: &str) -> bool {
    let port = match host.strip_prefix('[') {
        Some(inner) => match inner.rsplit_once(']') {
            Some((_, port)) => port,
            None => return false,
        },
        None => host.rfind(':').map_or("", |at| &host[at..]),
    };
    let port_fits = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
        None => port.is_empty(),
    };
    let allowed = |b: u8| b >= 0x80 || b.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"%".contains(&b);
    port_fits && host.bytes().all(allowed) && escapes_well(host)
}

/// Whether each `%` stands before two hexadecimal digits.
fn escapes_well(text: &str) -> bool {
    let digits = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    text.split('%').skip(1).all(digits)
}

/// What a whole one is in thousand-millionths.
pub const UNIT: i128 = 1_000_000_000;

/// A quantity of Kubernetes, such as `100m` or `1.5Gi`, in thousand-millionths.
pub fn quantity(text: &str) -> Option<i128> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned
        .find(|c: char| c != '.' && !c.is_ascii_digit())
        .unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') || number.len() > 18 {
        return None;
    }
    let scale = |power: u32| 10_i128.checked_pow(power);
    let (times, by) = match suffix {
        "n" => (1, UNIT),
        "u" => (1, 1_000_000),
        "m" => (1, 1000),
        "" => (1, 1),
        "k" => (1000, 1),
        "M" => (scale(6)?, 1),
        "G" => (scale(9)?, 1),
        "T" => (scale(12)?, 1),
        "P" => (scale(15)?, 1),
        "E" => (scale(18)?, 1),
        "Ki" => (1 << 10, 1),
        "Mi" => (1 << 20, 1),
        "Gi" => (1 << 30, 1),
        "Ti" => (1 << 40, 1),
        "Pi" => (1 << 50, 1),
        "Ei" => (1 << 60, 1),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            let power = scale(exponent.unsigned_abs())?;
            if exponent < 0 { (1, power) } else { (power, 1) }
        }
    };
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let below = scale(u32::try_from(fraction.len()).ok()?)?.checked_mul(by)?;
    let value = digits.checked_mul(UNIT)?.checked_mul(times)? / below;
    Some(if text.starts_with('-') { -value } else { value })
}

/// A form that `format` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Label,
    Subdomain,
    Label1035,
    QualifiedName,
    LabelPrefix,
    SubdomainPrefix,
    Label1035Prefix,
    LabelValue,
    Uri,
    Uuid,
    Byte,
    Date,
    DateTime,
}

impl Form {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "dns1123Label" => Form::Label,
            "dns1123Subdomain" => Form::Subdomain,
            "dns1035Label" => Form::Label1035,
            "qualifiedName" => Form::QualifiedName,
            "dns1123LabelPrefix" => Form::LabelPrefix,
            "dns1123SubdomainPrefix" => Form::SubdomainPrefix,
            "dns1035LabelPrefix" => Form::Label1035Prefix,
            "labelValue" => Form::LabelValue,
            "uri" => Form::Uri,
            "uuid" => Form::Uuid,
            "byte" => Form::Byte,
            "date" => Form::Date,
            "datetime" => Form::DateTime,
            _ => return None,
        })
    }

    /// Whether a text has the form.
    pub fn fits(self, text: &str) -> bool {
        // A prefix may end with a dash, as a suffix follows.
        let whole = |text: &str| {
            text.strip_suffix('-')
                .map_or(text.to_owned(), |text| format!("{text}a"))
        };
        match self {
            Form::Label => is_label(text),
            Form::Subdomain => is_subdomain(text),
            Form::Label1035 => is_label(text) && text.starts_with(|c: char| c.is_ascii_lowercase()),
            Form::LabelPrefix => is_label(&whole(text)),
            Form::SubdomainPrefix => is_subdomain(&whole(text)),
            Form::Label1035Prefix => Form::Label1035.fits(&whole(text)),
            Form::QualifiedName => match text.split_once('/') {
                Some((prefix, name)) => is_subdomain(prefix) && is_name(name),
                None => is_name(text),
            },
            Form::LabelValue => text.is_empty() || is_name(text),
            Form::Uri => Url::parse(text).is_some(),
            Form::Uuid => is_uuid(text),
            Form::Byte => is_base64(text),
            Form::Date => text.len() == 10 && time::parse(text).is_some(),
            Form::DateTime => text.len() > 10 && time::parse(text).is_some(),
        }
    }
}

fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    text.len() <= 63
        && text.bytes().next().is_some_and(inner)
        && text.bytes().last().is_some_and(inner)
        && text.bytes().all(|b| inner(b) || b == b'-')
}

fn is_subdomain(text: &str) -> bool {
    let label = |label: &str| {
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        label.bytes().next().is_some_and(inner)
            && label.bytes().last().is_some_and(inner)
            && label.bytes().all(|b| inner(b) || b == b'-')
    };
    text.len() <= 253 && text.split('.').all(label)
}

fn is_name(text: &str) -> bool {
    text.len() <= 63
        && text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && text.bytes().last().is_some_and(|b| b.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    let fits = |(part, length): (&&str, usize)| part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit());
    parts.len() == 5 && parts.iter().zip(lengths).all(fits)
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/')
}

/// `224.0.0.0/24` or `ff02::/16`, and such as Go counts to them.
pub fn is_link_local_multicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => v4.octets().starts_with(&[224, 0, 0]),
        IpAddr::V6(v6) => v6.segments()[0] & 0xFF0F == 0xFF02,
    }
}

/// `169.254.0.0/16` or `fe80::/10`.
pub fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    }
}

/// Whether Go calls it global unicast: private addresses too.
pub fn is_global(ip: IpAddr) -> bool {
    let special = ip.is_unspecified() || ip.is_loopback() || ip.is_multicast() || is_link_local(ip);
    !special && ip != IpAddr::V4(Ipv4Addr::BROADCAST)
}

/// The address with the bits behind a length cleared.
pub fn masked(ip: IpAddr, length: u8) -> IpAddr {
    let length = u32::from(length);
    match ip {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - length.min(32)).unwrap_or(0);
            Ipv4Addr::from_bits(v4.to_bits() & mask).into()
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - length.min(128)).unwrap_or(0);
            Ipv6Addr::from_bits(v6.to_bits() & mask).into()
        }
    }
}

/// Whether an address lies in a network.
pub fn is_within(ip: IpAddr, network: IpAddr, length: u8) -> bool {
    ip.is_ipv4() == network.is_ipv4() && masked(ip, length) == masked(network, length)
}
