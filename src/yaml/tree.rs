//! A document as a flat arena of nodes in the order of the text.

use std::borrow::Cow;

use super::scalar::{self, Scalar};
use crate::source::{SourceFile, Span};

/// A node's place in its tree.
pub type NodeId = u32;

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scalar without quotes.
    Plain,
    /// A scalar in single or double quotes.
    Quoted,
    /// A literal or folded block scalar.
    Block,
    /// A mapping; keys and values alternate in the arena.
    Mapping,
    /// A list.
    Sequence,
    /// `*name`.
    Alias,
}

/// An explicit type on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    None,
    Str,
    Int,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub start: u32,
    pub end: u32,
    /// A scalar's text starts here; a collection has this many child nodes; an alias stands for this node.
    pub a: u32,
    /// A scalar's text ends here; the next node past a collection's children.
    pub b: u32,
    pub kind: Kind,
    pub tag: Tag,
    /// The text is in the file's cooked text, not in the source.
    pub cooked: bool,
    /// A mapping with a `<<` key.
    pub merges: bool,
}

/// A comment, from its `#` to the end of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands.
    pub span: Span,
}

/// One document: nodes with spans, and comments.
#[derive(Debug)]
pub struct Tree<'s> {
    pub(super) file: &'s SourceFile,
    pub(super) text: &'s str,
    pub(super) entries: Vec<Entry>,
    pub(super) comments: Vec<Comment>,
    pub(super) has_duplicates: bool,
}

impl<'s> Tree<'s> {
    pub(super) fn new(file: &'s SourceFile) -> Self {
        Self {
            file,
            text: file.text(),
            entries: Vec::new(),
            comments: Vec::new(),
            has_duplicates: false,
        }
    }

    /// The file it was read from.
    pub fn file(&self) -> &'s SourceFile {
        self.file
    }

    /// The outermost node; `None` for a document without content.
    pub fn root(&self) -> Option<Node<'_, 's>> {
        (!self.entries.is_empty()).then_some(Node { tree: self, id: 0 })
    }

    /// A node by its place.
    pub fn node(&self, id: NodeId) -> Node<'_, 's> {
        Node { tree: self, id }
    }

    /// The comments in the order of the text.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The node past `id` and all below it.
    pub(super) fn after(&self, id: NodeId) -> NodeId {
        let entry = &self.entries[id as usize];
        match entry.kind {
            Kind::Mapping | Kind::Sequence => entry.b,
            _ => id + 1,
        }
    }
}

/// A node of a tree. Reading through an alias reads its target; the span stays that of the alias.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t, 's> {
    tree: &'t Tree<'s>,
    id: NodeId,
}

impl<'t, 's> Node<'t, 's> {
    /// Its place in the tree.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The tree it belongs to.
    pub fn tree(self) -> &'t Tree<'s> {
        self.tree
    }

    fn entry(self) -> &'t Entry {
        &self.tree.entries[self.id as usize]
    }

    fn at(self, id: NodeId) -> Self {
        Node { tree: self.tree, id }
    }

    /// The node itself, or what the alias stands for.
    fn target(self) -> Self {
        let entry = self.entry();
        if entry.kind == Kind::Alias {
            self.at(entry.a)
        } else {
            self
        }
    }

    /// Where it stands.
    pub fn span(self) -> Span {
        let entry = self.entry();
        self.tree.file.span(entry.start as usize, entry.end as usize)
    }

    /// How it is written; of an alias, how its target is.
    pub fn kind(self) -> Kind {
        self.target().entry().kind
    }

    /// Whether it is an alias.
    pub fn is_alias(self) -> bool {
        self.entry().kind == Kind::Alias
    }

    /// The text of a scalar as YAML reads it.
    pub fn text(self) -> Option<&'s str> {
        let entry = self.target().entry();
        match entry.kind {
            Kind::Plain | Kind::Quoted | Kind::Block => {
                let text = if entry.cooked {
                    self.tree.file.cooked()
                } else {
                    self.tree.text
                };
                Some(&text[entry.a as usize..entry.b as usize])
            }
            _ => None,
        }
    }

    /// The resolved value of a scalar.
    pub fn scalar(self) -> Option<Scalar<'s>> {
        let text = self.text()?;
        let entry = self.target().entry();
        Some(match (entry.tag, entry.kind) {
            (Tag::Int, _) => match scalar::resolve(text) {
                value @ Scalar::Int(_) => value,
                _ => Scalar::Text(text),
            },
            (Tag::None, Kind::Plain) => scalar::resolve(text),
            _ => Scalar::Text(text),
        })
    }

    /// Whether it is null or absent: the API server drops such values.
    pub fn is_null(self) -> bool {
        self.target().entry().kind == Kind::Plain && self.scalar() == Some(Scalar::Null)
    }

    /// Whether it is a mapping.
    pub fn is_mapping(self) -> bool {
        self.kind() == Kind::Mapping
    }

    /// Whether it is a list.
    pub fn is_sequence(self) -> bool {
        self.kind() == Kind::Sequence
    }

    /// The text of a key as the JSON key the API server sees.
    pub fn key(self) -> Cow<'s, str> {
        let text = self.text().unwrap_or_default();
        let entry = self.target().entry();
        if entry.kind == Kind::Plain && entry.tag == Tag::None {
            scalar::key(text)
        } else {
            Cow::Borrowed(text)
        }
    }

    /// The items of a list; none for anything else.
    pub fn items(self) -> impl ExactSizeIterator<Item = Node<'t, 's>> {
        let list = self.target();
        let is_list = list.entry().kind == Kind::Sequence;
        let (count, first) = if is_list { (list.entry().a, list.id + 1) } else { (0, 0) };
        let mut next = first;
        (0..count).map(move |_| {
            let item = list.at(next);
            next = list.tree.after(next);
            item
        })
    }

    /// The entries of a mapping, merged ones after its own; none for anything else. With duplicate keys all are given.
    pub fn entries(self) -> Entries<'t, 's> {
        let mapping = self.target();
        let entry = mapping.entry();
        let mut merged = Vec::new();
        if entry.kind == Kind::Mapping && entry.merges {
            collect_merged(mapping, &mut merged, 0);
        }
        let left = if entry.kind == Kind::Mapping { entry.a / 2 } else { 0 };
        Entries {
            tree: mapping.tree,
            next: mapping.id + 1,
            left,
            merges: entry.merges,
            merged: merged.into_iter(),
        }
    }

    /// The value of a key, the last one where the key is repeated. Null counts as absent.
    pub fn get(self, key: &str) -> Option<Node<'t, 's>> {
        self.entry_of(key).map(|(_, value)| value)
    }

    /// Key and value of a key whose value is not null.
    pub fn entry_of(self, key: &str) -> Option<(Node<'t, 's>, Node<'t, 's>)> {
        let mapping = self.target();
        let entry = mapping.entry();
        if entry.kind != Kind::Mapping {
            return None;
        }
        let found = if entry.merges || self.tree.has_duplicates {
            let mut matching = self.entries().filter(|(name, _)| name.text() == Some(key));
            let first = matching.next()?;
            if self.tree.has_duplicates {
                matching.last().unwrap_or(first)
            } else {
                first
            }
        } else {
            mapping.own_entry(entry.a / 2, key)?
        };
        (!found.1.is_null()).then_some(found)
    }

    /// The entry of a key in a mapping that neither merges nor repeats: most of all time is spent here.
    fn own_entry(self, count: u32, key: &str) -> Option<(Self, Self)> {
        let mut next = self.id + 1;
        for _ in 0..count {
            let value = self.tree.after(next);
            if self.at(next).text() == Some(key) {
                return Some((self.at(next), self.at(value)));
            }
            next = self.tree.after(value);
        }
        None
    }
}

/// Keys and values of a mapping.
pub struct Entries<'t, 's> {
    tree: &'t Tree<'s>,
    next: NodeId,
    left: u32,
    merges: bool,
    merged: std::vec::IntoIter<(NodeId, NodeId)>,
}

impl<'t, 's> Iterator for Entries<'t, 's> {
    type Item = (Node<'t, 's>, Node<'t, 's>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0 {
            self.left -= 1;
            let key = Node {
                tree: self.tree,
                id: self.next,
            };
            let value = Node {
                tree: self.tree,
                id: self.tree.after(key.id),
            };
            self.next = self.tree.after(value.id);
            if !self.merges || !is_merge(key) {
                return Some((key, value));
            }
        }
        let (key, value) = self.merged.next()?;
        Some((
            Node {
                tree: self.tree,
                id: key,
            },
            Node {
                tree: self.tree,
                id: value,
            },
        ))
    }
}

/// A plain `<<`.
pub(super) fn is_merge(key: Node<'_, '_>) -> bool {
    key.entry().kind == Kind::Plain && key.text() == Some("<<")
}

/// Merges may name mappings that merge; more levels than this no manifest has.
const MERGE_LEVELS: u32 = 16;

fn collect_merged<'t, 's>(mapping: Node<'t, 's>, found: &mut Vec<(NodeId, NodeId)>, level: u32) {
    let own = |node: Node<'t, 's>| Entries {
        tree: node.tree,
        next: node.id + 1,
        left: node.entry().a / 2,
        merges: true,
        merged: Vec::new().into_iter(),
    };
    let raw = Node {
        tree: mapping.tree,
        id: mapping.id,
    };
    let mut next = raw.id + 1;
    let mut sources = Vec::new();
    for _ in 0..raw.entry().a / 2 {
        let key = raw.at(next);
        let value = raw.at(raw.tree.after(next));
        next = raw.tree.after(value.id);
        if is_merge(key) {
            match value.kind() {
                Kind::Mapping => sources.push(value.target()),
                Kind::Sequence => sources.extend(value.items().filter(|item| item.is_mapping()).map(Node::target)),
                _ => {}
            }
        }
    }
    let known = |found: &[(NodeId, NodeId)], name: Option<&str>| {
        own(raw).any(|(key, _)| key.text() == name) || found.iter().any(|(key, _)| raw.at(*key).text() == name)
    };
    for source in sources {
        for (key, value) in own(source) {
            if !known(found, key.text()) {
                found.push((key.id, value.id));
            }
        }
        if source.entry().merges && level < MERGE_LEVELS {
            let mut deeper = Vec::new();
            collect_merged(source, &mut deeper, level + 1);
            deeper.retain(|(key, _)| !known(found, raw.at(*key).text()));
            found.extend(deeper);
        }
    }
}
