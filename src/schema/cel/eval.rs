//! Evaluates an expression in a bounded number of steps.

use std::rc::Rc;

use super::functions;
use super::parse::{Expr, Field, Fold, FoldKind};
use super::value::{Map, Value, equal, order};
use super::{Program, Stop};

/// Variables, and what is left to spend.
pub struct Machine<'v, 'm> {
    pub program: &'v Program,
    names: Vec<(&'v str, Value<'v>)>,
    steps: &'m mut u64,
}

type Result<T> = std::result::Result<T, Stop>;

impl<'v, 'm> Machine<'v, 'm> {
    pub fn new(program: &'v Program, names: Vec<(&'v str, Value<'v>)>, steps: &'m mut u64) -> Self {
        Self { program, names, steps }
    }

    /// Pays for work.
    pub fn spend(&mut self, steps: usize) -> Result<()> {
        let left = self.steps.checked_sub(steps as u64);
        *self.steps = left.unwrap_or(0);
        left.map(drop).ok_or_else(|| Stop::failed("it takes too many steps"))
    }

    pub fn eval(&mut self, expr: &'v Expr) -> Result<Value<'v>> {
        self.spend(1)?;
        Ok(match expr {
            Expr::Name(name) => self.name(name)?,
            Expr::Select(of, field, optional) => {
                let of = self.eval(of)?;
                let get = |map: &Map<'v>| map.select(&field.written, &field.property);
                return self.select(of, *optional, get, &field.written);
            }
            Expr::Has(of, field) => Value::Bool(self.has(of, field)?),
            Expr::Index(two, optional) => {
                let [of, at] = self.both(two)?;
                return self.index(of, &at, *optional);
            }
            Expr::Call(name, arguments) => {
                let arguments = arguments
                    .iter()
                    .map(|argument| self.eval(argument))
                    .collect::<Result<Vec<_>>>()?;
                return functions::call(self, name, &arguments);
            }
            Expr::List(items) => Value::List(items.iter().map(|item| self.eval(item)).collect::<Result<_>>()?),
            Expr::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok((self.eval(key)?, self.eval(value)?)));
                Value::Map(Map::Made(entries.collect::<Result<_>>()?))
            }
            Expr::And(parts) => self.logic(parts, false)?,
            Expr::Or(parts) => self.logic(parts, true)?,
            Expr::Not(inner) => Value::Bool(!self.bool(inner)?),
            Expr::Negate(inner) => return negate(self.eval(inner)?),
            Expr::If(three) => {
                let [condition, yes, no] = &**three;
                let chosen = if self.bool(condition)? { yes } else { no };
                return self.eval(chosen);
            }
            Expr::Binary(symbol, two) => {
                let [a, b] = self.both(two)?;
                return self.binary(symbol, &a, &b);
            }
            Expr::Fold(fold) => return self.fold(fold),
            Expr::Bind(name, two) => {
                let [value, body] = &**two;
                let value = self.eval(value)?;
                return self.with(name, value, |machine| machine.eval(body));
            }
            Expr::OptMap(name, two, flat) => return self.opt_map(name, two, *flat),
            literal => literal_value(literal),
        })
    }

    fn has(&mut self, of: &'v Expr, field: &'v Field) -> Result<bool> {
        match self.eval(of)? {
            Value::Map(map) => {
                self.spend(map.weight())?;
                map.has(&field.written, &field.property)
            }
            Value::Optional(None) => Ok(false),
            other => Err(Stop::types("has", &[other])),
        }
    }

    fn opt_map(&mut self, name: &'v str, two: &'v [Expr; 2], flat: bool) -> Result<Value<'v>> {
        let [value, body] = two;
        let value = match self.eval(value)? {
            Value::Optional(Some(value)) => (*value).clone(),
            Value::Optional(None) => return Ok(Value::Optional(None)),
            other => return Err(Stop::types("optMap", &[other])),
        };
        let body = self.with(name, value, |machine| machine.eval(body))?;
        Ok(if flat {
            body
        } else {
            Value::Optional(Some(Rc::new(body)))
        })
    }

    fn both(&mut self, two: &'v [Expr; 2]) -> Result<[Value<'v>; 2]> {
        Ok([self.eval(&two[0])?, self.eval(&two[1])?])
    }

    fn bool(&mut self, expr: &'v Expr) -> Result<bool> {
        match self.eval(expr)? {
            Value::Bool(value) => Ok(value),
            other => Err(Stop::types("a condition", &[other])),
        }
    }

    fn name(&mut self, name: &str) -> Result<Value<'v>> {
        if let Some((_, value)) = self.names.iter().rev().find(|(known, _)| *known == name) {
            let value = known(value.clone())?;
            if let Value::Text(text) = &value {
                self.spend(text.len() / 8)?;
            }
            return Ok(value);
        }
        let types = [
            "null_type",
            "bool",
            "int",
            "uint",
            "double",
            "string",
            "bytes",
            "list",
            "map",
            "type",
        ];
        let known = types.into_iter().find(|known| *known == name);
        known
            .map(Value::Type)
            .ok_or_else(|| Stop::failed(format!("`{name}` is not defined")))
    }

    fn with<T>(&mut self, name: &'v str, value: Value<'v>, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.names.push((name, value));
        let result = work(self);
        self.names.pop();
        result
    }

    /// `&&` and `||`: one part may decide what another cannot say.
    fn logic(&mut self, parts: &'v [Expr], decides: bool) -> Result<Value<'v>> {
        let mut stopped = None;
        for part in parts {
            match self.bool(part) {
                Ok(value) if value == decides => return Ok(Value::Bool(decides)),
                Ok(_) => {}
                Err(stop) => stopped = Some(worse(stopped, stop)),
            }
        }
        stopped.map_or(Ok(Value::Bool(!decides)), Err)
    }

    fn index(&mut self, of: Value<'v>, at: &Value<'v>, optional: bool) -> Result<Value<'v>> {
        if let Value::List(items) = &of {
            let place = match at {
                Value::Int(at) => usize::try_from(*at).ok(),
                Value::Uint(at) => usize::try_from(*at).ok(),
                other => return Err(Stop::types("[]", &[of.clone(), other.clone()])),
            };
            let item = place.and_then(|at| items.get(at));
            return match item {
                Some(Value::Unknown) => Err(Stop::Unknown),
                Some(item) if optional => Ok(Value::Optional(Some(Rc::new(item.clone())))),
                Some(item) => Ok(item.clone()),
                None if optional => Ok(Value::Optional(None)),
                None => Err(Stop::Refused("a list has no such entry".to_owned())),
            };
        }
        let shown = if let Value::Text(text) = at { text } else { "" };
        self.select(of, optional, |map| map.at(at), shown)
    }

    fn select(
        &mut self,
        of: Value<'v>,
        optional: bool,
        get: impl FnOnce(&Map<'v>) -> Result<Option<Value<'v>>>,
        name: &str,
    ) -> Result<Value<'v>> {
        let (map, optional) = match of {
            Value::Map(map) => (map, optional),
            Value::Optional(None) => return Ok(Value::Optional(None)),
            Value::Optional(Some(inner)) => match &*inner {
                Value::Map(map) => (map.clone(), true),
                other => return Err(Stop::types("a field", std::slice::from_ref(other))),
            },
            other => return Err(Stop::types("a field", &[other])),
        };
        self.spend(map.weight())?;
        let found = get(&map)?;
        self.spend(found.as_ref().map_or(0, Value::weight))?;
        match found {
            Some(value) if optional => Ok(Value::Optional(Some(Rc::new(value)))),
            Some(value) => known(value),
            None if optional => Ok(Value::Optional(None)),
            None => Err(Stop::Refused(format!("there is no `{name}`"))),
        }
    }

    fn binary(&mut self, symbol: &str, a: &Value<'v>, b: &Value<'v>) -> Result<Value<'v>> {
        self.spend(a.weight() + b.weight())?;
        if let (Value::Map(a), Value::Map(b)) = (a, b) {
            self.spend(a.keys().len().saturating_mul(b.keys().len()) / 4)?;
        }
        Ok(match symbol {
            "==" => Value::Bool(equal(a, b)?),
            "!=" => Value::Bool(!equal(a, b)?),
            "in" => Value::Bool(match b {
                Value::List(items) => contains(items, a)?,
                Value::Map(map) => map.at(a)?.is_some(),
                _ => return Err(Stop::types("in", &[a.clone(), b.clone()])),
            }),
            "<" | "<=" | ">" | ">=" => {
                let types = || Stop::types(symbol, &[a.clone(), b.clone()]);
                let order = order(a, b).ok_or_else(types)?;
                Value::Bool(match symbol {
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    _ => order.is_ge(),
                })
            }
            _ => return arithmetic(symbol, a, b),
        })
    }

    fn fold(&mut self, fold: &'v Fold) -> Result<Value<'v>> {
        let over = self.eval(&fold.over)?;
        let (keys, values) = match (&over, &fold.second) {
            (Value::List(items), None) => (items.to_vec(), None),
            (Value::List(items), Some(_)) => ((0..).take(items.len()).map(Value::Int).collect(), Some(items.to_vec())),
            (Value::Map(map), None) => (map.keys(), None),
            (Value::Map(map), Some(_)) => {
                let keys = map.keys();
                let values = keys.iter().map(|key| Ok(map.at(key)?.unwrap_or(Value::Null)));
                let values = values.collect::<Result<Vec<_>>>()?;
                (keys, Some(values))
            }
            _ => return Err(Stop::types("a macro", &[over])),
        };
        self.spend(keys.len())?;
        let second: Vec<Option<Value<'v>>> = match values {
            Some(values) => values.into_iter().map(Some).collect(),
            None => vec![None; keys.len()],
        };
        let mut gathered = Gathered::default();
        for (key, value) in keys.into_iter().zip(second) {
            let depth = self.names.len();
            self.names.push((&fold.name, key.clone()));
            if let (Some(name), Some(value)) = (&fold.second, value) {
                self.names.push((name, value));
            }
            let step = self.step(fold, key, &mut gathered);
            self.names.truncate(depth);
            if step? {
                break;
            }
        }
        gathered.finish(fold.kind)
    }

    /// One turn of a comprehension; whether it is the last.
    fn step(&mut self, fold: &'v Fold, key: Value<'v>, gathered: &mut Gathered<'v>) -> Result<bool> {
        match fold.kind {
            FoldKind::All | FoldKind::Exists => match self.bool(&fold.body) {
                Ok(value) if value == (fold.kind == FoldKind::Exists) => {
                    gathered.decided = true;
                    return Ok(true);
                }
                Ok(_) => {}
                Err(stop) => gathered.stopped = Some(worse(gathered.stopped.take(), stop)),
            },
            FoldKind::ExistsOne => gathered.count += usize::from(self.bool(&fold.body)?),
            FoldKind::Filter => {
                if self.bool(&fold.body)? {
                    gathered.items.push(key);
                }
            }
            FoldKind::Map | FoldKind::TransformMap => {
                let wanted = match &fold.filter {
                    Some(filter) => self.bool(filter)?,
                    None => true,
                };
                if wanted {
                    let value = self.eval(&fold.body)?;
                    gathered.items.push(value);
                    gathered.keys.push(key);
                }
            }
        }
        Ok(false)
    }
}

#[derive(Default)]
struct Gathered<'v> {
    decided: bool,
    stopped: Option<Stop>,
    count: usize,
    keys: Vec<Value<'v>>,
    items: Vec<Value<'v>>,
}

impl<'v> Gathered<'v> {
    fn finish(self, kind: FoldKind) -> Result<Value<'v>> {
        match (kind, self.stopped) {
            (FoldKind::All | FoldKind::Exists, Some(stop)) if !self.decided => Err(stop),
            (FoldKind::All, _) => Ok(Value::Bool(!self.decided)),
            (FoldKind::Exists, _) => Ok(Value::Bool(self.decided)),
            (FoldKind::ExistsOne, _) => Ok(Value::Bool(self.count == 1)),
            (FoldKind::Map | FoldKind::Filter, _) => Ok(Value::List(self.items.into())),
            (FoldKind::TransformMap, _) => Ok(Value::Map(Map::Made(self.keys.into_iter().zip(self.items).collect()))),
        }
    }
}

fn literal_value(expr: &Expr) -> Value<'_> {
    match expr {
        Expr::Bool(value) => Value::Bool(*value),
        Expr::Int(value) => Value::Int(*value),
        Expr::Uint(value) => Value::Uint(*value),
        Expr::Double(value) => Value::Double(*value),
        Expr::Text(text) => Value::Text(text.as_str().into()),
        Expr::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),

        _ => Value::Null,
    }
}

fn negate(value: Value<'_>) -> Result<Value<'_>> {
    match value {
        Value::Int(value) => value.checked_neg().map(Value::Int),
        Value::Double(value) => Some(Value::Double(-value)),
        Value::Duration(value) => value.checked_neg().map(Value::Duration),
        other => return Err(Stop::types("-", &[other])),
    }
    .ok_or_else(Stop::overflow)
}

/// The reason that counts: what is not known beats what is wrong.
fn worse(known: Option<Stop>, stop: Stop) -> Stop {
    match (known, stop) {
        (None, stop) | (Some(_), stop @ Stop::Unknown) => stop,
        (Some(known), _) => known,
    }
}

fn known(value: Value<'_>) -> Result<Value<'_>> {
    if matches!(value, Value::Unknown) {
        Err(Stop::Unknown)
    } else {
        Ok(value)
    }
}

/// Whether a list has a value.
pub fn contains(items: &[Value<'_>], wanted: &Value<'_>) -> Result<bool> {
    let mut unknown = false;
    for item in items {
        match equal(item, wanted) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(_) => unknown = true,
        }
    }
    if unknown { Err(Stop::Unknown) } else { Ok(false) }
}

fn arithmetic<'v>(symbol: &str, a: &Value<'v>, b: &Value<'v>) -> Result<Value<'v>> {
    let result = match (symbol, a, b) {
        ("/" | "%", _, Value::Int(0) | Value::Uint(0)) => return Err(Stop::Refused("it divides by zero".to_owned())),
        ("+", Value::Int(a), Value::Int(b)) => a.checked_add(*b).map(Value::Int),
        ("-", Value::Int(a), Value::Int(b)) => a.checked_sub(*b).map(Value::Int),
        ("*", Value::Int(a), Value::Int(b)) => a.checked_mul(*b).map(Value::Int),
        ("/", Value::Int(a), Value::Int(b)) => a.checked_div(*b).map(Value::Int),
        ("%", Value::Int(a), Value::Int(b)) => a.checked_rem(*b).map(Value::Int),
        ("+", Value::Uint(a), Value::Uint(b)) => a.checked_add(*b).map(Value::Uint),
        ("-", Value::Uint(a), Value::Uint(b)) => a.checked_sub(*b).map(Value::Uint),
        ("*", Value::Uint(a), Value::Uint(b)) => a.checked_mul(*b).map(Value::Uint),
        ("/", Value::Uint(a), Value::Uint(b)) => a.checked_div(*b).map(Value::Uint),
        ("%", Value::Uint(a), Value::Uint(b)) => a.checked_rem(*b).map(Value::Uint),
        ("+", Value::Double(a), Value::Double(b)) => Some(Value::Double(a + b)),
        ("-", Value::Double(a), Value::Double(b)) => Some(Value::Double(a - b)),
        ("*", Value::Double(a), Value::Double(b)) => Some(Value::Double(a * b)),
        ("/", Value::Double(a), Value::Double(b)) => Some(Value::Double(a / b)),
        ("+", Value::Text(a), Value::Text(b)) => Some(Value::Text(format!("{a}{b}").into())),
        ("+", Value::Bytes(a), Value::Bytes(b)) => Some(Value::Bytes([&**a, &**b].concat().into())),
        ("+", Value::List(a), Value::List(b)) => Some(Value::List([&**a, &**b].concat().into())),
        ("+", Value::Duration(a), Value::Duration(b)) => a.checked_add(*b).map(Value::Duration),
        ("-", Value::Duration(a), Value::Duration(b)) => a.checked_sub(*b).map(Value::Duration),
        ("+", Value::Timestamp(a), Value::Duration(b)) | ("+", Value::Duration(b), Value::Timestamp(a)) => {
            Some(Value::Timestamp(a + i128::from(*b)))
        }
        ("-", Value::Timestamp(a), Value::Duration(b)) => Some(Value::Timestamp(a - i128::from(*b))),
        ("-", Value::Timestamp(a), Value::Timestamp(b)) => i64::try_from(a - b).ok().map(Value::Duration),
        _ => return Err(Stop::types(symbol, &[a.clone(), b.clone()])),
    };
    result.ok_or_else(Stop::overflow)
}
