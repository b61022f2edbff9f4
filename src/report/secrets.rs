//! Files in, the bytes that no report may show out.
//!
//! Reports end up in build logs and on pull requests, which more people read than the cluster. The values of a Secret, and
//! keys of tokens that are not surely public, are found in the tree; where a text that speaks of one is broken, everything
//! behind its keys counts. Knows nothing of how findings are written.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;

use crate::source::{FileId, SourceFile, Sources, Span};
use crate::values::jwks::holds_private_key;
use crate::yaml::{self, Document, Node, Tree};

/// What stands in the place of a hidden value.
pub const MASK: &str = "***";

/// The hidden bytes of each file, found when the file is first asked for.
#[derive(Debug)]
pub struct Secrets<'r> {
    sources: &'r Sources,
    hidden: Vec<OnceCell<Vec<Range<usize>>>>,
}

impl<'r> Secrets<'r> {
    /// Nothing is read yet.
    pub fn new(sources: &'r Sources) -> Self {
        Self {
            sources,
            hidden: sources.files.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// The hidden bytes of a file in order, each range on one line.
    pub fn hidden(&self, file: FileId) -> &[Range<usize>] {
        let Some(cell) = self.hidden.get(file as usize) else {
            return &[];
        };
        cell.get_or_init(|| find(&self.sources.files[file as usize]))
    }

    /// Whether a hidden value is under a span or around it.
    pub fn touches(&self, span: Span) -> bool {
        !self.under(span).is_empty()
    }

    fn under(&self, span: Span) -> &[Range<usize>] {
        let Some(file) = self.sources.find(span) else {
            return &[];
        };
        let (hidden, span) = (self.hidden(file.id), file.range(span));
        let first = hidden.partition_point(|range| range.end < span.start);
        let past = hidden.partition_point(|range| range.start <= span.end);
        &hidden[first..past.max(first)]
    }

    /// What is said of a place, without the values that are hidden there: messages quote values in backticks.
    pub fn redacted<'t>(&self, at: Span, text: &'t str) -> Cow<'t, str> {
        let under = self.under(at);
        let Some(source) = self.sources.find(at).filter(|_| !under.is_empty()) else {
            return Cow::Borrowed(text);
        };
        let secret = |quoted: &str| under.iter().any(|range| tells(quoted, &source.text()[range.clone()]));
        let pieces = text.split('`').enumerate();
        let shown: Vec<&str> = pieces
            .map(
                |(index, piece)| {
                    if index % 2 == 1 && secret(piece) { MASK } else { piece }
                },
            )
            .collect();
        Cow::Owned(shown.join("`"))
    }
}

/// Whether a quotation gives away a value. A few letters in common do not.
fn tells(quoted: &str, value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    quoted == value || (quoted.len() >= 8 && value.contains(quoted)) || (value.len() >= 4 && quoted.contains(value))
}

fn find(file: &SourceFile) -> Vec<Range<usize>> {
    let mut hidden = Hidden {
        file,
        text: file.text(),
        ranges: Vec::new(),
    };
    let holds = |word: &str| memmem::find(file.text().as_bytes(), word.as_bytes()).is_some();
    if holds("ecret") || holds("jwks") {
        for document in &yaml::parse(file) {
            hidden.document(document);
        }
    }
    hidden.ranges.sort_by_key(|range| (range.start, range.end));
    hidden.ranges.dedup_by(|later, first| {
        later.start < first.end && {
            first.end = first.end.max(later.end);
            true
        }
    });
    hidden.ranges
}

struct Hidden<'s> {
    file: &'s SourceFile,
    text: &'s str,
    ranges: Vec<Range<usize>>,
}

impl Hidden<'_> {
    fn document(&mut self, document: &Document<'_>) {
        let text = self.file.slice(document.span);
        if document.is_readable() && !has_aliases(&document.tree) {
            self.tree(&document.tree);
        } else if speaks_of_secret(text) {
            self.lines(document.span);
        }
    }

    /// Hides the values of every Secret, items of lists among them, and the comments beside them; and what kustomize makes
    /// Secrets of.
    fn tree(&mut self, tree: &Tree<'_>) {
        let nodes = || {
            (0..)
                .take(tree.len())
                .map(|id| tree.node(id))
                .filter(|node| node.is_mapping())
        };
        let generators = nodes()
            .filter_map(|node| node.get("secretGenerator"))
            .flat_map(Node::items);
        let literals = generators
            .filter_map(|generator| generator.get("literals"))
            .flat_map(Node::items);
        literals.for_each(|literal| self.hide(literal.span()));
        let keys = nodes().filter_map(|node| node.get("jwks"));
        keys.filter(|keys| !is_public(*keys))
            .for_each(|keys| self.hide(keys.span()));
        let secrets: Vec<Node<'_, '_>> = nodes().filter(|node| is_secret(*node)).collect();
        for secret in &secrets {
            self.values(*secret, "data");
            self.values(*secret, "stringData");
            let annotations = secret.get("metadata").and_then(|metadata| metadata.get("annotations"));
            // kubectl keeps the whole object here, values included.
            if let Some(applied) =
                annotations.and_then(|all| all.get("kubectl.kubernetes.io/last-applied-configuration"))
            {
                self.hide(applied.span());
            }
        }
        let own = |span: &Span| {
            self.file
                .slice(*span)
                .trim_start_matches(['#', ' '])
                .starts_with("meshlint:")
        };
        let comments = tree.comments().iter().map(|comment| comment.span);
        let comments: Vec<Span> = comments.filter(|span| !secrets.is_empty() && !own(span)).collect();
        for span in comments {
            self.hide(span);
        }
    }

    fn values(&mut self, secret: Node<'_, '_>, field: &str) {
        for (_, values) in secret.entries().filter(|(key, _)| key.text() == Some(field)) {
            if values.is_mapping() {
                values.entries().for_each(|(_, value)| self.hide(value.span()));
            } else {
                self.hide(values.span());
            }
        }
    }

    fn hide(&mut self, span: Span) {
        self.hide_bytes(self.file.range(span));
    }

    /// Line by line, so that indentation stays.
    fn hide_bytes(&mut self, range: Range<usize>) {
        let mut at = range.start;
        for line in self.text[range].split_inclusive('\n') {
            let start = at + line.len() - line.trim_start().len();
            let end = start + line.trim().len();
            if start < end {
                self.ranges.push(start..end);
            }
            at += line.len();
        }
    }

    /// Hides all but the keys of a text that has no tree to go by.
    fn lines(&mut self, span: Span) {
        let mut at = self.file.range(span).start;
        for line in self.file.slice(span).split_inclusive('\n') {
            if line.trim_end() != "---" {
                self.hide_bytes(at + after_key(line)..at + line.len());
            }
            at += line.len();
        }
    }
}

fn has_aliases(tree: &Tree<'_>) -> bool {
    (0..).take(tree.len()).any(|id| tree.node(id).is_alias())
}

/// A Secret itself, not a reference to one.
fn is_secret(node: Node<'_, '_>) -> bool {
    let is_object = || {
        ["metadata", "data", "stringData"]
            .iter()
            .any(|field| node.get(field).is_some())
    };
    node.get("kind").and_then(Node::text) == Some("Secret") && is_object()
}

/// Whether a value holds public keys of tokens and no others.
fn is_public(keys: Node<'_, '_>) -> bool {
    keys.text().is_some_and(|text| holds_private_key(text) == Ok(false))
}

/// Whether a text that has no tree to go by may be a Secret with values.
fn speaks_of_secret(text: &str) -> bool {
    let begins = |at: usize| !text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
    let has_values = || text.contains("stringData") || text.match_indices("data").any(|(at, _)| begins(at));
    text.lines()
        .any(|line| line.contains("kind") && line.contains("Secret"))
        && has_values()
}

/// Where the value of a line begins that reads as `key: value`; 0 for any other line.
fn after_key(line: &str) -> usize {
    let Some((key, value)) = line.split_once(':') else {
        return 0;
    };
    let name = key.trim_matches([' ', '-', '\t', '"', '\'']);
    let is_name = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte))
    };
    if is_name(name) && value.starts_with(char::is_whitespace) {
        key.len() + 1
    } else {
        0
    }
}
