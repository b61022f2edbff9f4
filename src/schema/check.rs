//! What a schema demands of a value beyond its type, and whether a value keeps it.

use std::collections::hash_map::Entry;
use std::sync::OnceLock;

use regex::Regex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::format::{Fault, Format};
use super::shape::ShapeId;
use crate::source::Span;
use crate::values::minor::Minor;
use crate::yaml::{Kind, Node, Scalar};

/// Who does not take a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refuser {
    /// The API server, for one of its own kinds.
    ApiServer,
    /// The API server, by the schema of a custom kind.
    Crd,
    /// istiod's validating webhook.
    Webhook,
    /// istiod, as it reads the mesh configuration.
    Istiod,
}

/// One demand, and who makes it.
#[derive(Debug)]
pub struct Check {
    pub test: Test,
    pub refuser: Refuser,
}

/// A word of an enum, and the minor that brings it.
pub type Word = (Box<str>, Option<Minor>);

/// Demands on one value.
#[derive(Debug)]
pub enum Test {
    /// The text is one of these.
    Enum(Box<[Word]>),
    /// The value is not of this shape.
    Not(ShapeId),
    /// The number lies here.
    Range(Range),
    /// The text has so many characters.
    Length(Sizes),
    /// The list or mapping has so many entries.
    Count(Sizes),
    /// The text matches.
    Pattern(Pattern, Option<Format>),
    /// The text or number has a form.
    Format(Format),
    /// The first item of the list is of this shape.
    First(ShapeId),
    /// The keys of the mapping are texts of this shape.
    Keys(ShapeId),
    /// The mapping has this field.
    Required(Box<str>),
    /// The mapping has at most one of these fields.
    AtMostOne(Box<[Box<str>]>),
    /// The value fits one of these shapes: one alone, or at least one.
    Alternatives(Box<[Alternative]>, Quantity),
    /// No two items of the list have the same values in these fields; without fields, are the same.
    Distinct(Box<[KeyField]>),
    /// The value is of this shape as well.
    Also(ShapeId),
    /// Where the value fits the first shape it is of the second, else of the third.
    If(ShapeId, Option<ShapeId>, Option<ShapeId>),
}

/// How many of several shapes a value must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `oneOf`
    One,
    /// `anyOf`
    Some,
}

/// One of several shapes.
#[derive(Debug)]
pub struct Alternative {
    pub shape: ShapeId,
    /// The fields it requires, in words; nothing where it requires none.
    pub fields: Box<str>,
}

/// A field that tells the items of a list apart, and its value where it is not set.
#[derive(Debug)]
pub struct KeyField {
    pub name: Box<str>,
    pub default: Option<Box<str>>,
}

/// A bound of a number.
#[derive(Debug)]
pub struct Range {
    pub minimum: f64,
    pub maximum: f64,
    pub exclusive: bool,
    /// 0 stands for no value.
    pub zero_is_unset: bool,
}

impl Range {
    fn holds(&self, value: f64) -> bool {
        let inside = if self.exclusive {
            value > self.minimum && value < self.maximum
        } else {
            value >= self.minimum && value <= self.maximum
        };
        inside || (self.zero_is_unset && value == 0.0)
    }

    /// The range in words.
    pub fn words(&self) -> String {
        let (minimum, maximum) = (self.minimum, self.maximum);
        match (minimum.is_finite(), maximum.is_finite(), self.exclusive) {
            (true, true, _) => format!("from {minimum} to {maximum}"),
            (true, false, false) => format!("{minimum} or more"),
            (true, false, true) => format!("more than {minimum}"),
            (false, _, false) => format!("{maximum} or less"),
            (false, _, true) => format!("less than {maximum}"),
        }
    }
}

/// Bounds of a length or a count.
#[derive(Debug)]
pub struct Sizes {
    pub least: usize,
    pub most: usize,
}

impl Sizes {
    fn holds(&self, size: usize) -> bool {
        (self.least..=self.most).contains(&size)
    }

    /// The bounds in words.
    pub fn words(&self) -> String {
        match (self.least, self.most) {
            (0, most) => format!("at most {most}"),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("from {least} to {most}"),
        }
    }
}

/// A regular expression that is compiled when a text first meets it.
#[derive(Debug)]
pub struct Pattern {
    pub text: Box<str>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub fn new(text: &str) -> Self {
        Self {
            text: text.into(),
            compiled: OnceLock::new(),
        }
    }

    /// Whether a text matches. A pattern that does not compile matches everything.
    pub fn matches(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| Regex::new(&self.text).ok());
        compiled.as_ref().is_none_or(|pattern| pattern.is_match(text))
    }
}

/// How a single value breaks a demand.
#[derive(Debug)]
pub enum Broken<'s> {
    /// It is no word of the list.
    Word(&'s [Word]),
    /// It is a word that this minor does not know.
    NewWord(Minor),
    /// It lies outside.
    Range(&'s Range),
    /// It is too short or too long.
    Length(&'s Sizes, usize),
    /// It has another form.
    Form(Format, Fault),
    /// It does not match, though it was to have this format.
    Pattern(&'s str, Option<Format>),
}

impl Test {
    /// What is wrong with a scalar.
    pub fn scalar(&self, node: Node<'_, '_>, minor: Minor) -> Option<Broken<'_>> {
        let text = node.text()?;
        match self {
            Test::Range(range) => number(node)
                .is_some_and(|value| !range.holds(value))
                .then_some(Broken::Range(range)),
            Test::Format(format) => match node.scalar()? {
                Scalar::Int(value) if node.kind() == Kind::Plain && value.unsigned_abs() > 9 => {
                    self.text(&value.to_string(), minor)
                }
                Scalar::Float(value) => self.text(&value.to_string(), minor),
                _ => format.check(text).err().map(|fault| Broken::Form(*format, fault)),
            },
            _ => match node.scalar()? {
                Scalar::Bool(value) => self.text(if value { "true" } else { "false" }, minor),
                _ => self.text(text, minor),
            },
        }
    }

    /// What is wrong with a text.
    pub fn text(&self, text: &str, minor: Minor) -> Option<Broken<'_>> {
        match self {
            Test::Enum(words) => match words.iter().find(|(word, _)| **word == *text) {
                Some((_, Some(since))) if *since > minor => Some(Broken::NewWord(*since)),
                Some(_) => None,
                None => Some(Broken::Word(words)),
            },
            Test::Length(sizes) => {
                let length = if text.is_ascii() {
                    text.len()
                } else {
                    text.chars().count()
                };
                (!sizes.holds(length)).then_some(Broken::Length(sizes, length))
            }
            Test::Pattern(pattern, format) => {
                (!pattern.matches(text)).then_some(Broken::Pattern(&pattern.text, *format))
            }
            Test::Format(format) => format.check(text).err().map(|fault| Broken::Form(*format, fault)),
            _ => None,
        }
    }
}

fn number(node: Node<'_, '_>) -> Option<f64> {
    match node.scalar()? {
        #[expect(clippy::cast_precision_loss, reason = "no bound of a schema is near 2^53")]
        Scalar::Int(value) => Some(value as f64),
        Scalar::Float(value) => Some(value),
        _ => None,
    }
}

impl Sizes {
    /// The number of entries of a list or mapping, where it is wrong.
    pub fn broken_count(&self, node: Node<'_, '_>) -> Option<usize> {
        let count = if node.is_sequence() {
            node.items().len()
        } else {
            node.entries().filter(|(_, value)| !value.is_null()).count()
        };
        (!self.holds(count)).then_some(count)
    }
}

/// Those of the fields that a mapping has, in the order of the text, with the places of their keys.
pub fn present<'s>(fields: &'s [Box<str>], node: Node<'_, '_>) -> SmallVec<[(Span, &'s str); 2]> {
    let mut present: SmallVec<_> = fields
        .iter()
        .filter_map(|field| Some((node.entry_of(field)?.0.span(), &**field)))
        .collect();
    present.sort_unstable();
    present
}

/// Items that repeat an earlier one: their place, its place, and what they share.
pub fn repeated<'x>(keys: &'x [KeyField], list: Node<'_, 'x>) -> Vec<(Span, Span, String)> {
    let mut found = Vec::new();
    if list.items().len() < 2 {
        return found;
    }
    let mut first = FxHashMap::default();
    for item in list.items() {
        let Some(identity) = identity(keys, item) else { continue };
        let named = keys.first().and_then(|key| item.get(&key.name));
        let span = named.unwrap_or(item).span();
        match first.entry(identity) {
            Entry::Occupied(earlier) => found.push((span, *earlier.get(), earlier.key().join("/"))),
            Entry::Vacant(free) => {
                free.insert(span);
            }
        }
    }
    found
}

/// What tells an item apart from others; `None` where a part of it is missing.
fn identity<'x>(keys: &'x [KeyField], item: Node<'_, 'x>) -> Option<SmallVec<[&'x str; 2]>> {
    if keys.is_empty() {
        return item.text().map(|text| SmallVec::from_slice(&[text]));
    }
    keys.iter()
        .map(|key| match item.get(&key.name) {
            Some(value) => value.text(),
            None => key.default.as_deref(),
        })
        .collect()
}
