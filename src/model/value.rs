//! Values that know where they stand.

use std::fmt;
use std::ops::Deref;

use thin_vec::ThinVec;

use crate::source::{Span, Word};

/// A value and its place. Derefs to the value, converts to the [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// A text of the input.
pub type Text<'a> = Spanned<Word<'a>>;

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Display> fmt::Display for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T> From<Spanned<T>> for Span {
    fn from(spanned: Spanned<T>) -> Span {
        spanned.span
    }
}

impl<T> From<&Spanned<T>> for Span {
    fn from(spanned: &Spanned<T>) -> Span {
        spanned.span
    }
}

impl<'a> Text<'a> {
    /// The text without its place.
    pub fn as_str(&self) -> &'a str {
        self.value.as_str()
    }
}

/// A map of texts, such as labels or annotations, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels<'a> {
    entries: ThinVec<(Text<'a>, Text<'a>)>,
}

impl<'a> Labels<'a> {
    /// Labels from keys and values.
    pub fn new(mut entries: ThinVec<(Text<'a>, Text<'a>)>) -> Self {
        entries.shrink_to_fit();
        Self { entries }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Text<'a>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Key and value of a key.
    pub fn entry(&self, key: &str) -> Option<&(Text<'a>, Text<'a>)> {
        self.entries.iter().rev().find(|(name, _)| name.as_str() == key)
    }

    /// Whether the key has this value.
    pub fn has(&self, key: &str, value: &str) -> bool {
        self.get(key).is_some_and(|text| text.as_str() == value)
    }

    /// Keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Keys and values with their places.
    pub fn spanned(&self) -> &[(Text<'a>, Text<'a>)] {
        &self.entries
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether all of these labels stand among `others`.
    pub fn select(&self, others: &Labels<'_>) -> bool {
        self.iter().all(|(key, value)| others.has(key, value))
    }

    /// A value of these labels that is not known until something is filled in.
    pub fn placeholder(&self) -> bool {
        self.iter()
            .any(|(key, value)| crate::yaml::is_placeholder(key) || crate::yaml::is_placeholder(value))
    }
}

/// A value of no fixed form, kept whole: an Envoy patch, a plugin's configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Word<'a>),
    /// A list.
    List(Box<[Spanned<Value<'a>>]>),
    /// A mapping.
    Map(Box<[(Text<'a>, Spanned<Value<'a>>)]>),
}

impl<'a> Value<'a> {
    /// A field of a mapping.
    pub fn get(&self, key: &str) -> Option<&Spanned<Value<'a>>> {
        match self {
            Value::Map(entries) => entries
                .iter()
                .find(|(name, _)| name.as_str() == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a text.
    pub fn as_text(&self) -> Option<&'a str> {
        match self {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        }
    }
}
