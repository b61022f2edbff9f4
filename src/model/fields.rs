//! Reading typed values out of a mapping. What is missing or of another type is a hole, never an error: structure is the
//! matter of `schema`.

use thin_vec::ThinVec;

use super::value::{Labels, Spanned, Text, Value};
use crate::source::{Interner, Span, Word};
use crate::yaml::{Node, Scalar, is_placeholder};

/// A mapping that is being decoded.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'t, 'a> {
    node: Node<'t, 't>,
    words: &'t Interner<'a>,
}

impl<'t, 'a> Fields<'t, 'a> {
    /// The fields of a node, whose texts are kept as `words`; of one that is no mapping there are none.
    pub fn new(node: Node<'t, 't>, words: &'t Interner<'a>) -> Self {
        Self { node, words }
    }

    /// The fields of a node below.
    #[must_use]
    pub fn at(self, node: Node<'t, 't>) -> Self {
        Self { node, ..self }
    }

    /// A text that is kept.
    pub fn word(self, text: &str) -> Word<'a> {
        self.words.word(text)
    }

    /// Where the mapping stands.
    pub fn span(self) -> Span {
        self.node.span()
    }

    /// The value of a field as it stands in the tree.
    pub fn node(self, key: &str) -> Option<Node<'t, 't>> {
        self.node.get(key)
    }

    /// Whether the field is there and not null.
    pub fn has(self, key: &str) -> bool {
        self.node(key).is_some()
    }

    /// Whether each of these fields is missing, null, or without anything in it: `[]`, `{}`, and a mapping whose own fields
    /// are so.
    pub fn lacks(self, keys: &[&str]) -> bool {
        let hollow = |node: Node<'t, 't>| {
            is_blank(node) || node.is_mapping() && node.entries().all(|(_, inner)| is_blank(inner))
        };
        keys.iter().all(|key| self.node(key).is_none_or(hollow))
    }

    /// Whether the mapping has this field and no other.
    pub fn holds_only(self, key: &str) -> bool {
        self.node.entries().all(|(name, _)| name.key() == key)
    }

    /// Whether each of these fields is missing, null or an empty list. An empty mapping is a message that is set.
    pub fn leaves_unset(self, keys: &[&str]) -> bool {
        let said = |node: Node<'_, '_>| !node.is_sequence() || node.items().next().is_some();
        !keys.iter().filter_map(|key| self.node(key)).any(said)
    }

    /// Whether a value, or one in it, is filled in later.
    pub fn placeholders(self) -> bool {
        let is_open = |node: Node<'t, 't>| node.text().is_some_and(is_placeholder);
        self.node.entries().any(|(_, value)| {
            is_open(value) || value.items().any(is_open) || value.entries().any(|(_, inner)| is_open(inner))
        })
    }

    /// Where the field's key stands.
    pub fn key(self, key: &str) -> Option<Span> {
        self.node.entry_of(key).map(|(name, _)| name.span())
    }

    /// A text. Numbers and booleans without quotes count as their text.
    pub fn text(self, key: &str) -> Option<Text<'a>> {
        self.node(key).and_then(|node| self.read_text(node))
    }

    /// A field of the record that stands elsewhere in the document; whoever reads the document fills it.
    pub fn elsewhere<T: Default>(self) -> T {
        T::default()
    }

    /// A whole number.
    pub fn number(self, key: &str) -> Option<Spanned<i64>> {
        let node = self.node(key)?;
        let value = match node.scalar()? {
            Scalar::Int(value) => value,
            #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53")]
            Scalar::Float(value) if value.fract() == 0.0 && value.abs() < 9e15 => value as i64,
            _ => return None,
        };
        Some(Spanned {
            value,
            span: node.span(),
        })
    }

    /// A number.
    pub fn decimal(self, key: &str) -> Option<Spanned<f64>> {
        let node = self.node(key)?;
        let value = match node.scalar()? {
            #[expect(clippy::cast_precision_loss, reason = "percentages and the like")]
            Scalar::Int(value) => value as f64,
            Scalar::Float(value) => value,
            _ => return None,
        };
        Some(Spanned {
            value,
            span: node.span(),
        })
    }

    /// A boolean.
    pub fn boolean(self, key: &str) -> Option<Spanned<bool>> {
        let node = self.node(key)?;
        match node.scalar()? {
            Scalar::Bool(value) => Some(Spanned {
                value,
                span: node.span(),
            }),
            _ => None,
        }
    }

    /// A list of texts.
    pub fn texts(self, key: &str) -> ThinVec<Text<'a>> {
        self.items(key, |node| self.read_text(node).filter(|_| !node.is_null()))
    }

    /// A list of numbers.
    pub fn numbers(self, key: &str) -> ThinVec<Spanned<i64>> {
        self.items(key, |node| match node.scalar()? {
            Scalar::Int(value) => Some(Spanned {
                value,
                span: node.span(),
            }),
            _ => None,
        })
    }

    /// A list of mappings; what is none is left out.
    pub fn list<T>(self, key: &str, decode: fn(Fields<'t, 'a>) -> T) -> ThinVec<T> {
        self.items(key, |item| item.is_mapping().then(|| decode(self.at(item))))
    }

    /// What can be read of the items of a list, in no more space than they need.
    fn items<T>(self, key: &str, read: impl Fn(Node<'t, 't>) -> Option<T>) -> ThinVec<T> {
        let Some(list) = self.node(key) else {
            return ThinVec::new();
        };
        let mut items = ThinVec::with_capacity(list.items().len());
        items.extend(list.items().filter_map(read));
        items
    }

    /// A mapping.
    pub fn object<T>(self, key: &str, decode: fn(Fields<'t, 'a>) -> T) -> Option<T> {
        self.node(key)
            .filter(|node| node.is_mapping())
            .map(|node| decode(self.at(node)))
    }

    /// A mapping that is seldom there, kept apart.
    pub fn boxed<T>(self, key: &str, decode: fn(Fields<'t, 'a>) -> T) -> Option<Box<T>> {
        self.object(key, decode).map(Box::new)
    }

    /// A map of texts.
    pub fn labels(self, key: &str) -> Labels<'a> {
        let Some(node) = self.node(key) else {
            return Labels::default();
        };
        let entries = node
            .entries()
            .filter_map(|(name, value)| Some((self.read_text(name)?, self.read_text(value)?)));
        Labels::new(entries.collect())
    }

    /// A map of mappings.
    pub fn map<T>(self, key: &str, decode: fn(Fields<'t, 'a>) -> T) -> ThinVec<(Text<'a>, T)> {
        let Some(node) = self.node(key) else {
            return ThinVec::new();
        };
        let mut entries: ThinVec<_> = node
            .entries()
            .filter_map(|(name, value)| Some((self.read_text(name)?, decode(self.at(value)))))
            .collect();
        entries.shrink_to_fit();
        entries
    }

    /// The keys of a mapping; its values are not looked at.
    pub fn keys(self, key: &str) -> ThinVec<Text<'a>> {
        self.node(key)
            .map(|node| node.entries().filter_map(|(name, _)| self.read_text(name)).collect())
            .unwrap_or_default()
    }

    /// A value of no fixed form.
    pub fn value(self, key: &str) -> Option<Spanned<Value<'a>>> {
        self.node(key).and_then(|node| self.read_value(node, 0))
    }

    fn read_text(self, node: Node<'t, 't>) -> Option<Text<'a>> {
        Some(Spanned {
            value: self.word(node.text()?),
            span: node.span(),
        })
    }

    fn read_value(self, node: Node<'t, 't>, level: u32) -> Option<Spanned<Value<'a>>> {
        if level > LEVELS {
            return None;
        }
        let value = if node.is_mapping() {
            let entries = node
                .entries()
                .filter_map(|(key, inner)| Some((self.read_text(key)?, self.read_value(inner, level + 1)?)));
            Value::Map(entries.collect())
        } else if node.is_sequence() {
            let items = node.items().filter_map(|item| self.read_value(item, level + 1));
            Value::List(items.collect())
        } else {
            match node.scalar()? {
                Scalar::Null => return None,
                Scalar::Bool(value) => Value::Bool(value),
                Scalar::Int(value) => Value::Int(value),
                Scalar::Float(value) => Value::Float(value),
                Scalar::Text(text) => Value::Text(self.word(text)),
            }
        };
        Some(Spanned {
            value,
            span: node.span(),
        })
    }
}

/// Null, an empty list or an empty mapping.
fn is_blank(node: Node<'_, '_>) -> bool {
    let empty = node.is_mapping() && node.entries().next().is_none() || node.is_sequence() && node.items().len() == 0;
    empty || node.scalar() == Some(Scalar::Null)
}

/// Deeper than the parser nests; more levels only aliases can make.
const LEVELS: u32 = 500;
