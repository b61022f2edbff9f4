//! The functions of CEL and those that Kubernetes adds.

use std::rc::Rc;

use super::eval::{Machine, contains};
use super::library::{self, Form, Url};
use super::value::{Map, Value, equal, order};
use super::{Stop, time};
use crate::values::address;
use crate::values::duration::Duration;

type Result<T> = std::result::Result<T, Stop>;
/// `None` where the function, or one for these types, is not of the group.
type Found<'v> = Option<Result<Value<'v>>>;

/// Calls a function; the target of a method is the first argument.
pub fn call<'v>(machine: &mut Machine<'v, '_>, name: &str, arguments: &[Value<'v>]) -> Result<Value<'v>> {
    if arguments.iter().any(|argument| matches!(argument, Value::Unknown)) {
        return Err(Stop::Unknown);
    }
    machine.spend(arguments.iter().map(Value::weight).sum())?;
    conversion(name, arguments)
        .or_else(|| pattern(machine, name, arguments))
        .or_else(|| text(machine, name, arguments))
        .or_else(|| list(machine, name, arguments))
        .or_else(|| optional(name, arguments))
        .or_else(|| address(name, arguments))
        .or_else(|| library(name, arguments))
        .or_else(|| clock(name, arguments))
        .unwrap_or_else(|| Err(Stop::types(name, arguments)))
}

fn refused<'v>(found: Option<Value<'v>>, what: &str, text: &str) -> Result<Value<'v>> {
    found.ok_or_else(|| Stop::Refused(format!("`{text}` is no {what}")))
}

fn length<'v>(length: usize) -> Value<'v> {
    Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
}

fn owned<'v>(text: impl Into<String>) -> Value<'v> {
    Value::Text(text.into().into())
}

#[expect(clippy::cast_precision_loss, reason = "that is what the conversion does")]
#[expect(clippy::cast_possible_truncation, reason = "that is what the conversion does")]
fn conversion<'v>(name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    let [value] = arguments else { return None };
    Some(Ok(match (name, value) {
        ("dyn", value) => value.clone(),
        ("type", value) => Value::Type(value.type_name()),
        ("duration", Value::Duration(_))
        | ("timestamp", Value::Timestamp(_))
        | ("string", Value::Text(_))
        | ("int", Value::Int(_))
        | ("uint", Value::Uint(_))
        | ("double", Value::Double(_))
        | ("bool", Value::Bool(_))
        | ("bytes", Value::Bytes(_)) => value.clone(),
        ("duration", Value::Text(text)) => {
            let duration = Duration::parse(text).map(|duration| Value::Duration(duration.0));
            return Some(refused(duration, "duration", text));
        }
        ("timestamp", Value::Text(text)) => {
            let time = time::parse(text).filter(|_| text.len() > 10);
            return Some(refused(time.map(Value::Timestamp), "time", text));
        }
        ("timestamp", Value::Int(seconds)) => Value::Timestamp(i128::from(*seconds) * 1_000_000_000),
        ("int", Value::Text(text)) => return Some(refused(text.parse().ok().map(Value::Int), "whole number", text)),
        ("int", Value::Uint(value)) => {
            return Some(refused(
                i64::try_from(*value).ok().map(Value::Int),
                "int",
                &value.to_string(),
            ));
        }
        ("int", Value::Double(value)) if value.abs() < 9.2e18 => Value::Int(*value as i64),
        ("int", Value::Timestamp(value)) => Value::Int(i64::try_from(value / 1_000_000_000).unwrap_or(i64::MAX)),
        ("uint", Value::Text(text)) => return Some(refused(text.parse().ok().map(Value::Uint), "whole number", text)),
        ("uint", Value::Int(value)) => {
            return Some(refused(
                u64::try_from(*value).ok().map(Value::Uint),
                "uint",
                &value.to_string(),
            ));
        }
        ("double", Value::Text(text)) => return Some(refused(text.parse().ok().map(Value::Double), "number", text)),
        ("double", Value::Int(value)) => Value::Double(*value as f64),
        ("double", Value::Uint(value)) => Value::Double(*value as f64),
        ("bool", Value::Text(text)) => {
            let value = match &**text {
                "1" | "t" | "T" | "true" | "True" | "TRUE" => Some(true),
                "0" | "f" | "F" | "false" | "False" | "FALSE" => Some(false),
                _ => None,
            };
            return Some(refused(value.map(Value::Bool), "boolean", text));
        }
        ("bytes", Value::Text(text)) => Value::Bytes(text.as_bytes().into()),
        ("string", value) => return string(value),
        _ => return None,
    }))
}

#[expect(clippy::cast_precision_loss, reason = "doubles are what is printed")]
fn string<'v>(value: &Value<'v>) -> Found<'v> {
    Some(Ok(match value {
        Value::Bool(value) => owned(value.to_string()),
        Value::Int(value) => owned(value.to_string()),
        Value::Uint(value) => owned(value.to_string()),
        Value::Double(value) => owned(value.to_string()),
        Value::Duration(value) => owned(format!("{}s", *value as f64 / 1e9)),
        Value::Ip(address) => owned(address.to_string()),
        Value::Cidr(address, length) => owned(format!("{address}/{length}")),
        Value::Url(url) => owned(url.text.clone()),
        Value::Bytes(bytes) => {
            return Some(refused(
                String::from_utf8(bytes.to_vec()).ok().map(owned),
                "text",
                "bytes",
            ));
        }
        _ => return None,
    }))
}

fn pattern<'v>(machine: &mut Machine<'v, '_>, name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    let [Value::Text(text), Value::Text(pattern), rest @ ..] = arguments else {
        return None;
    };
    if !matches!(name, "matches" | "find" | "findAll") {
        return None;
    }
    Some((|| {
        machine.spend(text.len() / 4)?;
        let compiled;
        let regex = if let Some(regex) = machine.program.patterns.get(&**pattern) {
            regex
        } else {
            machine.spend(20_000 + pattern.len() * 10)?;
            compiled = library::regex(pattern);
            &compiled
        };
        let regex = regex.as_ref().map_err(|fault| Stop::failed(fault.as_str()))?;
        let found = |found: regex::Match<'_>| owned(found.as_str());
        match (name, rest) {
            ("matches", []) => Ok(Value::Bool(regex.is_match(text))),
            ("find", []) => Ok(regex.find(text).map_or_else(|| owned(""), found)),
            ("findAll", []) => Ok(Value::List(regex.find_iter(text).map(found).collect())),
            ("findAll", [Value::Int(most)]) => {
                let most = usize::try_from(*most).unwrap_or(usize::MAX);
                Ok(Value::List(regex.find_iter(text).take(most).map(found).collect()))
            }
            _ => Err(Stop::types(name, arguments)),
        }
    })())
}

/// Where the character at an index begins; the index may be that of the end.
fn place(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.into_iter().nth(index)
}

fn cut<'v>(text: &str, from: i64, to: Option<i64>) -> Result<Value<'v>> {
    let end = to.map_or(Some(text.len()), |to| place(text, to));
    let part = place(text, from).zip(end).and_then(|(start, end)| text.get(start..end));
    part.map(owned)
        .ok_or_else(|| Stop::Refused("a text has no such place".to_owned()))
}

fn text<'v>(machine: &mut Machine<'v, '_>, name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    let [Value::Text(text), rest @ ..] = arguments else {
        return None;
    };
    let index = |at: Option<usize>| Value::Int(at.map_or(-1, |at| text[..at].chars().count().try_into().unwrap_or(-1)));
    Some(Ok(match (name, rest) {
        ("size", []) => length(text.chars().count()),
        ("contains", [Value::Text(part)]) => Value::Bool(text.contains(&**part)),
        ("startsWith", [Value::Text(part)]) => Value::Bool(text.starts_with(&**part)),
        ("endsWith", [Value::Text(part)]) => Value::Bool(text.ends_with(&**part)),
        ("lowerAscii", []) => owned(text.to_ascii_lowercase()),
        ("upperAscii", []) => owned(text.to_ascii_uppercase()),
        ("trim", []) => owned(text.trim()),
        ("reverse", []) => owned(text.chars().rev().collect::<String>()),
        ("charAt", [Value::Int(at)]) if place(text, *at) == Some(text.len()) => owned(""),
        ("charAt", [Value::Int(at)]) => return Some(cut(text, *at, at.checked_add(1))),
        ("substring", [Value::Int(from)]) => return Some(cut(text, *from, None)),
        ("substring", [Value::Int(from), Value::Int(to)]) => return Some(cut(text, *from, Some(*to))),
        ("indexOf", [Value::Text(part)]) => index(text.find(&**part)),
        ("indexOf", [Value::Text(part), Value::Int(from)]) => {
            let from = place(text, *from)?;
            index(text[from..].find(&**part).map(|at| at + from))
        }
        ("lastIndexOf", [Value::Text(part)]) => index(text.rfind(&**part)),
        ("lastIndexOf", [Value::Text(part), Value::Int(from)]) => {
            let from = place(text, *from)?;
            index(
                text.char_indices()
                    .map(|(at, _)| at)
                    .take_while(|at| *at <= from)
                    .filter(|at| text[*at..].starts_with(&**part))
                    .last(),
            )
        }
        ("replace", [Value::Text(old), Value::Text(new)]) => {
            let times = text.matches(&**old).count();
            if let Err(stop) = machine.spend(times.saturating_mul(new.len()) / 8) {
                return Some(Err(stop));
            }
            owned(text.replace(&**old, new))
        }
        ("replace", [Value::Text(old), Value::Text(new), Value::Int(times)]) => {
            let times = usize::try_from(*times)
                .unwrap_or(usize::MAX)
                .min(text.matches(&**old).count());
            if let Err(stop) = machine.spend(times.saturating_mul(new.len()) / 8) {
                return Some(Err(stop));
            }
            owned(text.replacen(&**old, new, times))
        }
        ("split", [Value::Text(by)]) => pieces(text, by, -1),
        ("split", [Value::Text(by), Value::Int(most)]) => pieces(text, by, *most),
        ("format", [Value::List(values)]) => return Some(library::format(text, values).map(owned)),
        _ => return None,
    }))
}

fn pieces<'v>(text: &str, by: &str, most: i64) -> Value<'v> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let all: Vec<String> = if most == 0 {
        Vec::new()
    } else if by.is_empty() {
        text.chars().map(String::from).collect()
    } else {
        text.splitn(most, by).map(str::to_owned).collect()
    };
    Value::List(all.into_iter().map(owned).collect())
}

fn list<'v>(machine: &mut Machine<'v, '_>, name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    match (name, arguments) {
        ("size", [Value::Map(map)]) => return Some(Ok(length(map.keys().len()))),
        ("size", [Value::Bytes(bytes)]) => return Some(Ok(length(bytes.len()))),
        _ => {}
    }
    let [Value::List(items), rest @ ..] = arguments else {
        return None;
    };
    Some((|| {
        Ok(match (name, rest) {
            ("size", []) => length(items.len()),
            ("isSorted", []) => Value::Bool(
                items
                    .windows(2)
                    .all(|two| order(&two[0], &two[1]).is_some_and(std::cmp::Ordering::is_le)),
            ),
            ("sum", []) => return sum(items),
            ("min" | "max", []) => {
                let wanted = if name == "min" {
                    std::cmp::Ordering::Less
                } else {
                    std::cmp::Ordering::Greater
                };
                let best = items
                    .iter()
                    .reduce(|best, item| if order(item, best) == Some(wanted) { item } else { best });
                best.cloned()
                    .ok_or_else(|| Stop::Refused(format!("`{name}` of an empty list")))?
            }
            ("indexOf" | "lastIndexOf", [wanted]) => {
                let mut found = Vec::new();
                for (at, item) in (0..).zip(items.iter()) {
                    found.extend(equal(item, wanted)?.then_some(at));
                }
                let chosen = if name == "indexOf" { found.first() } else { found.last() };
                Value::Int(chosen.copied().unwrap_or(-1))
            }
            ("reverse", []) => Value::List(items.iter().rev().cloned().collect()),
            ("join", []) => join(machine, items, "")?,
            ("join", [Value::Text(by)]) => join(machine, items, by)?,
            ("sets.contains" | "sets.intersects" | "sets.equivalent", [Value::List(others)]) => {
                machine.spend(items.len().saturating_mul(others.len()))?;
                Value::Bool(match name {
                    "sets.contains" => holds(items, others)?,
                    "sets.equivalent" => holds(items, others)? && holds(others, items)?,
                    _ => meet(items, others)?,
                })
            }
            _ => return Err(Stop::types(name, arguments)),
        })
    })())
}

fn join<'v>(machine: &mut Machine<'v, '_>, items: &[Value<'v>], by: &str) -> Result<Value<'v>> {
    machine.spend(items.len().saturating_mul(by.len()) / 8)?;
    let texts = items.iter().map(|item| match item {
        Value::Text(text) => Ok(&**text),
        Value::Unknown => Err(Stop::Unknown),
        other => Err(Stop::types("join", std::slice::from_ref(other))),
    });
    Ok(owned(texts.collect::<Result<Vec<_>>>()?.join(by)))
}

fn sum<'v>(items: &[Value<'v>]) -> Result<Value<'v>> {
    let mut total: Option<Value<'v>> = None;
    for item in items {
        total = Some(match (total, item) {
            (None, item) => item.clone(),
            (Some(Value::Int(a)), Value::Int(b)) => Value::Int(a.checked_add(*b).ok_or_else(Stop::overflow)?),
            (Some(Value::Uint(a)), Value::Uint(b)) => Value::Uint(a.checked_add(*b).ok_or_else(Stop::overflow)?),
            (Some(Value::Double(a)), Value::Double(b)) => Value::Double(a + b),
            (Some(Value::Duration(a)), Value::Duration(b)) => {
                Value::Duration(a.checked_add(*b).ok_or_else(Stop::overflow)?)
            }
            (Some(total), item) => return Err(Stop::types("sum", &[total, item.clone()])),
        });
    }
    Ok(total.unwrap_or(Value::Int(0)))
}

fn holds(items: &[Value<'_>], wanted: &[Value<'_>]) -> Result<bool> {
    for one in wanted {
        if !contains(items, one)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn meet(items: &[Value<'_>], others: &[Value<'_>]) -> Result<bool> {
    for one in others {
        if contains(items, one)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn optional<'v>(name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    let some = |value: &Value<'v>| Value::Optional(Some(Rc::new(value.clone())));
    Some(Ok(match (name, arguments) {
        ("optional.none", []) => Value::Optional(None),
        ("optional.of", [value]) => some(value),
        ("optional.ofNonZeroValue", [value]) => match value {
            Value::Null | Value::Bool(false) | Value::Int(0) | Value::Uint(0) => Value::Optional(None),
            Value::Text(text) if text.is_empty() => Value::Optional(None),
            Value::List(items) if items.is_empty() => Value::Optional(None),
            Value::Map(map) if map.keys().is_empty() => Value::Optional(None),
            value => some(value),
        },
        ("hasValue", [Value::Optional(inner)]) => Value::Bool(inner.is_some()),
        ("value", [Value::Optional(Some(inner))]) => (**inner).clone(),
        ("value", [Value::Optional(None)]) => return Some(Err(Stop::Refused("an optional has no value".to_owned()))),
        ("or", [Value::Optional(inner), other]) => inner.as_ref().map_or(other, |_| &arguments[0]).clone(),
        ("orValue", [Value::Optional(inner), other]) => inner.as_deref().unwrap_or(other).clone(),
        _ => return None,
    }))
}

fn address<'v>(name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    let parsed = |text: &str| match address::parse(text)? {
        std::net::IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some() => None,
        _ if text.contains('%') => None,
        address => Some(address),
    };
    let prefix = |text: &str| address::parse_prefix(text).map(|(address, length)| Value::Cidr(address, length));
    Some(Ok(match (name, arguments) {
        ("isIP", [Value::Text(text)]) => Value::Bool(parsed(text).is_some()),
        ("ip", [Value::Text(text)]) => return Some(refused(parsed(text).map(Value::Ip), "IP address", text)),
        ("ip.isCanonical", [Value::Text(text)]) => {
            return Some(refused(
                parsed(text).map(|ip| Value::Bool(ip.to_string() == **text)),
                "IP address",
                text,
            ));
        }
        ("isCIDR", [Value::Text(text)]) => Value::Bool(prefix(text).is_some()),
        ("cidr", [Value::Text(text)]) => return Some(refused(prefix(text), "CIDR", text)),
        ("family", [Value::Ip(ip)]) => Value::Int(if ip.is_ipv4() { 4 } else { 6 }),
        ("isUnspecified", [Value::Ip(ip)]) => Value::Bool(ip.is_unspecified()),
        ("isLoopback", [Value::Ip(ip)]) => Value::Bool(ip.is_loopback()),
        ("isLinkLocalMulticast", [Value::Ip(ip)]) => Value::Bool(library::is_link_local_multicast(*ip)),
        ("isLinkLocalUnicast", [Value::Ip(ip)]) => Value::Bool(library::is_link_local(*ip)),
        ("isGlobalUnicast", [Value::Ip(ip)]) => Value::Bool(library::is_global(*ip)),
        ("ip", [Value::Cidr(ip, _)]) => Value::Ip(*ip),
        ("prefixLength", [Value::Cidr(_, length)]) => Value::Int(i64::from(*length)),
        ("masked", [Value::Cidr(ip, length)]) => Value::Cidr(library::masked(*ip, *length), *length),
        ("containsIP", [Value::Cidr(ip, length), other]) => {
            let other = match other {
                Value::Ip(other) => *other,
                Value::Text(text) => parsed(text)?,
                _ => return None,
            };
            Value::Bool(library::is_within(other, *ip, *length))
        }
        ("containsCIDR", [Value::Cidr(ip, length), other]) => {
            let (other, inner) = match other {
                Value::Cidr(other, inner) => (*other, *inner),
                Value::Text(text) => address::parse_prefix(text)?,
                _ => return None,
            };
            Value::Bool(inner >= *length && library::is_within(other, *ip, *length))
        }
        _ => return None,
    }))
}

fn library<'v>(name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    Some(Ok(match (name, arguments) {
        ("isURL", [Value::Text(text)]) => Value::Bool(Url::parse(text).is_some()),
        ("url", [Value::Text(text)]) => {
            return Some(refused(
                Url::parse(text).map(|url| Value::Url(Rc::new(url))),
                "URL",
                text,
            ));
        }
        ("getScheme", [Value::Url(url)]) => owned(url.scheme.clone()),
        ("getHost", [Value::Url(url)]) => owned(url.host.clone()),
        ("getHostname", [Value::Url(url)]) => owned(url.hostname()),
        ("getPort", [Value::Url(url)]) => owned(url.port()),
        ("getEscapedPath", [Value::Url(url)]) => owned(url.path.clone()),
        ("getQuery", [Value::Url(url)]) => {
            let entries = url
                .query()
                .into_iter()
                .map(|(key, values)| (owned(key), Value::List(values.into_iter().map(owned).collect())));
            Value::Map(Map::Made(entries.collect()))
        }
        ("isQuantity", [Value::Text(text)]) => Value::Bool(library::quantity(text).is_some()),
        ("quantity", [Value::Text(text)]) => {
            return Some(refused(library::quantity(text).map(Value::Quantity), "quantity", text));
        }
        (_, [Value::Quantity(value), rest @ ..]) => return quantity(name, *value, rest),
        ("format.named", [Value::Text(name)]) => {
            Value::Optional(Form::named(name).map(|form| Rc::new(Value::Form(form))))
        }
        ("validate", [Value::Form(form), Value::Text(text)]) => Value::Optional(if form.fits(text) {
            None
        } else {
            let message = owned(format!("`{text}` has not the form"));
            Some(Rc::new(Value::List([message].into())))
        }),
        (_, []) => Value::Form(Form::named(name.strip_prefix("format.")?)?),
        _ => return None,
    }))
}

#[expect(clippy::cast_precision_loss, reason = "it is approximate")]
fn quantity<'v>(name: &str, value: i128, rest: &[Value<'v>]) -> Found<'v> {
    let whole = || {
        (value % library::UNIT == 0)
            .then(|| i64::try_from(value / library::UNIT).ok())
            .flatten()
    };
    Some(Ok(match (name, rest) {
        ("sign", []) => Value::Int(value.signum().try_into().unwrap_or(0)),
        ("isInteger", []) => Value::Bool(whole().is_some()),
        ("asInteger", []) => return Some(refused(whole().map(Value::Int), "whole number", "a quantity")),
        ("asApproximateFloat", []) => Value::Double(value as f64 / library::UNIT as f64),
        ("isGreaterThan", [Value::Quantity(other)]) => Value::Bool(value > *other),
        ("isLessThan", [Value::Quantity(other)]) => Value::Bool(value < *other),
        ("compareTo", [Value::Quantity(other)]) => Value::Int(value.cmp(other) as i64),
        ("add" | "sub", [other]) => {
            let other = match other {
                Value::Quantity(other) => *other,
                Value::Int(other) => i128::from(*other) * library::UNIT,
                _ => return None,
            };
            Value::Quantity(if name == "add" {
                value.saturating_add(other)
            } else {
                value.saturating_sub(other)
            })
        }
        _ => return None,
    }))
}

fn clock<'v>(name: &str, arguments: &[Value<'v>]) -> Found<'v> {
    let units = [
        ("getHours", 3_600_000_000_000, 24),
        ("getMinutes", 60_000_000_000, 60),
        ("getSeconds", 1_000_000_000, 60),
        ("getMilliseconds", 1_000_000, 1000),
    ];
    let (_, unit, around) = units.into_iter().find(|(unit, ..)| *unit == name)?;
    match arguments {
        [Value::Duration(duration)] => Some(Ok(Value::Int(duration / unit))),
        [Value::Timestamp(time)] => {
            let value = time.div_euclid(i128::from(unit)).rem_euclid(around);
            Some(Ok(Value::Int(i64::try_from(value).unwrap_or(0))))
        }
        _ => None,
    }
}
