//! The one place that knows the parser crate: events to trees.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, StructureStyle};
use memchr::{memchr, memmem};
use rustc_hash::{FxHashMap, FxHasher};

use super::fast;
use super::problem::{Problem, ProblemKind};
use super::scalar::{self, Scalar};
use super::split;
use super::tree::{Comment, Entry, Kind, Node, NodeId, Tag, Tree, is_merge};
use crate::source::{Broken, SourceFile, Span};

/// One document of a file.
#[derive(Debug)]
pub struct Document<'s> {
    /// The bytes it was cut from.
    pub span: Span,
    /// Its nodes; those before the fault where the text is broken.
    pub tree: Tree<'s>,
    /// What is wrong with the text.
    pub problems: Vec<Problem>,
}

impl Document<'_> {
    /// Whether the API server would read it at all.
    pub fn is_readable(&self) -> bool {
        !self.problems.iter().any(|problem| problem.kind.breaks_document())
    }
}

/// Collections nested deeper than this are a finding. The API server's reader stops at 10,000, no manifest comes near.
pub(super) const NESTING: usize = 200;

/// Expanded size beyond which aliases are a bomb, in nodes.
const EXPANSION: u64 = 1_000_000;

/// Reads a file's documents. Any text gives an answer.
pub fn parse(file: &SourceFile) -> Vec<Document<'_>> {
    if let Some((span, why)) = file.broken_at() {
        let kind = if why == Broken::Encoding {
            ProblemKind::Encoding
        } else {
            ProblemKind::Control
        };
        let whole = file.span(0, file.text().len());
        return vec![Document {
            span: whole,
            tree: Tree::new(file),
            problems: vec![Problem { span, kind }],
        }];
    }
    let mut cooked = String::new();
    let mut documents = Vec::new();
    for range in split::documents(file.text()) {
        Reader::new(file, range, &mut cooked, &mut documents).read();
    }
    cooked.shrink_to_fit();
    file.keep_cooked(cooked);
    for document in &mut documents {
        inspect(document);
    }
    documents
}

fn options(text: &str) -> Options {
    let mut options = Options::default();
    options.emit_comments = memchr(b'#', text.as_bytes()).is_some();
    options.max_buffered_comment_events = usize::MAX;
    options.emit_unresolved_aliases = true;
    options.flow_nesting_limit = NESTING;
    options.block_nesting_limit = NESTING;
    options
}

/// A collection that is still open.
struct Open {
    id: NodeId,
    children: u32,
    /// Block collections end with their last child, flow ones at their bracket.
    flow: bool,
    last_end: u32,
}

/// Reads one stretch of a file. It usually is one document; after a `...` line more may follow.
struct Reader<'s, 'o> {
    file: &'s SourceFile,
    range: Range<usize>,
    cooked: &'o mut String,
    documents: &'o mut Vec<Document<'s>>,
    tree: Tree<'s>,
    problems: Vec<Problem>,
    open: Vec<Open>,
    anchors: FxHashMap<usize, NodeId>,
    begun: bool,
}

impl<'s, 'o> Reader<'s, 'o> {
    fn new(
        file: &'s SourceFile,
        range: Range<usize>,
        cooked: &'o mut String,
        documents: &'o mut Vec<Document<'s>>,
    ) -> Self {
        let mut tree = Tree::new(file);
        tree.entries.reserve(range.len() / 8);
        let (problems, open, anchors) = (Vec::new(), Vec::new(), FxHashMap::default());
        Self {
            file,
            range,
            cooked,
            documents,
            tree,
            problems,
            open,
            anchors,
            begun: false,
        }
    }

    fn read(mut self) {
        if fast::read(self.file, self.range.clone(), &mut self.tree, self.cooked).is_none() {
            self.read_events();
        }
        self.finish(self.range.end);
    }

    fn read_events(&mut self) {
        let text = &self.file.text()[self.range.clone()];
        self.directives(text);
        if self.problems.is_empty() {
            self.events(text);
        }
    }

    fn events(&mut self, text: &str) {
        let mut parser = Parser::new_from_str_with_options(text, options(text));
        while let Some(next) = parser.next_event() {
            match next {
                Ok((event, span)) => self.event(event, span),
                Err(error) => {
                    self.fail(&error);
                    break;
                }
            }
        }
    }

    fn directives(&mut self, text: &str) {
        let mut at = self.range.start;
        for line in text.split_inclusive('\n') {
            if line.starts_with('%') {
                let span = self.file.span(at, at + line.trim_end().len());
                self.problems.push(Problem {
                    span,
                    kind: ProblemKind::Directive,
                });
            } else if !line.starts_with('#') && !line.trim().is_empty() {
                return;
            }
            at += line.len();
        }
    }

    fn event(&mut self, event: Event<'_>, span: granit_parser::Span) {
        let range = span.byte_range().expect("text input has byte offsets");
        let at = self.range.start + range.start..self.range.start + range.end;
        match event {
            Event::DocumentStart(..) => {
                if self.begun {
                    self.finish(at.start);
                }
                self.begun = true;
            }
            Event::Comment(..) => self.tree.comments.push(Comment {
                span: self.file.span(at.start, at.end),
            }),
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag_of(tag.as_deref());
                let borrowed = matches!(text, Cow::Borrowed(_));
                let id = self.scalar((&text, borrowed), style, at, tag);
                self.anchor(anchor, id);
            }
            Event::SequenceStart(style, anchor, _) => self.start(Kind::Sequence, style, anchor, at.start),
            Event::MappingStart(style, anchor, _) => self.start(Kind::Mapping, style, anchor, at.start),
            Event::SequenceEnd | Event::MappingEnd => self.end(at.end),
            Event::Alias(anchor) => self.alias(anchor, at),
            Event::UnresolvedAlias(name) => {
                let kind = ProblemKind::UnknownAnchor(name.into_owned());
                self.problems.push(Problem {
                    span: self.file.span(at.start, at.end),
                    kind,
                });
                self.push(Kind::Plain, at.clone(), (at.end, at.end), Tag::None, false);
            }
            _ => {}
        }
    }

    fn push(&mut self, kind: Kind, at: Range<usize>, (a, b): (usize, usize), tag: Tag, cooked: bool) -> NodeId {
        let id = self.tree.entries.len();
        let (a, b) = (narrow(a), narrow(b));
        self.tree.entries.push(Entry {
            start: narrow(at.start),
            end: narrow(at.end),
            a,
            b,
            kind,
            tag,
            cooked,
            merges: false,
        });
        if let Some(open) = self.open.last_mut() {
            open.children += 1;
            open.last_end = narrow(at.end);
        }
        narrow(id)
    }

    fn anchor(&mut self, anchor: usize, id: NodeId) {
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
    }

    fn alias(&mut self, anchor: usize, at: Range<usize>) {
        let Some(&target) = self.anchors.get(&anchor) else {
            return;
        };
        if self.open.iter().any(|open| open.id == target) {
            self.problems.push(Problem {
                span: self.file.span(at.start, at.end),
                kind: ProblemKind::RecursiveAnchor,
            });
            self.push(Kind::Plain, at.clone(), (at.end, at.end), Tag::None, false);
        } else {
            self.push(Kind::Alias, at, (target as usize, 0), Tag::None, false);
        }
    }

    fn scalar(&mut self, text: (&str, bool), style: ScalarStyle, at: Range<usize>, tag: Tag) -> NodeId {
        let (text, borrowed) = text;
        // Text that the parser did not have to change is a piece of the source.
        let as_written = |length: usize| borrowed && text.len() == length;
        match style {
            ScalarStyle::Plain if !at.is_empty() && as_written(at.len()) => {
                self.push(Kind::Plain, at.clone(), (at.start, at.end), tag, false)
            }
            // An absent value is reported as `~` of no width.
            ScalarStyle::Plain if at.is_empty() => self.push(Kind::Plain, at.clone(), (at.start, at.start), tag, false),
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                let inner = at.start + 1..at.end.saturating_sub(1).max(at.start + 1);
                if as_written(inner.len()) {
                    return self.push(Kind::Quoted, at, (inner.start, inner.end), tag, false);
                }
                let text = self.cook(text);
                self.push(Kind::Quoted, at, text, tag, true)
            }
            ScalarStyle::Plain => {
                let text = self.cook(text);
                self.push(Kind::Plain, at, text, tag, true)
            }
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let at = self.block_span(at);
                let text = self.cook(text);
                self.push(Kind::Block, at, text, tag, true)
            }
        }
    }

    /// The span of a block scalar is reported from its content on and into the next line's indentation: it is made to
    /// run from its `|` or `>` to its last character.
    fn block_span(&self, at: Range<usize>) -> Range<usize> {
        let source = &self.file.text();
        let header = source[self.range.start..at.start]
            .rfind(['|', '>'])
            .map_or(at.start, |found| self.range.start + found);
        let end = header + source[header..at.end].trim_end().len();
        header..end.max(header + 1).min(source.len())
    }

    fn cook(&mut self, text: &str) -> (usize, usize) {
        let start = self.cooked.len();
        self.cooked.push_str(text);
        (start, self.cooked.len())
    }

    fn start(&mut self, kind: Kind, style: StructureStyle, anchor: usize, at: usize) {
        let flow = style == StructureStyle::Flow;
        // A list whose dashes stand under its key is reported from its first item on.
        let at = if kind == Kind::Sequence && !flow {
            self.dash_before(at)
        } else {
            at
        };
        let id = self.push(kind, at..at, (0, 0), Tag::None, false);
        self.anchor(anchor, id);
        self.open.push(Open {
            id,
            children: 0,
            flow,
            last_end: narrow(at),
        });
    }

    fn dash_before(&self, at: usize) -> usize {
        let source = self.file.text().as_bytes();
        if source.get(at) == Some(&b'-') && matches!(source.get(at + 1), None | Some(b' ' | b'\n' | b'\r' | b'\t')) {
            return at;
        }
        let before = &source[self.range.start..at];
        let blank = before
            .iter()
            .rev()
            .take_while(|b| matches!(b, b' ' | b'\n' | b'\r' | b'\t'))
            .count();
        match before.len().checked_sub(blank + 1) {
            Some(dash) if before[dash] == b'-' => self.range.start + dash,
            _ => at,
        }
    }

    fn end(&mut self, at: usize) {
        let Some(open) = self.open.pop() else { return };
        let next = narrow(self.tree.entries.len());
        let end = if open.flow { narrow(at) } else { open.last_end };
        let entry = &mut self.tree.entries[open.id as usize];
        (entry.a, entry.b, entry.end) = (open.children, next, end);
        if let Some(parent) = self.open.last_mut() {
            parent.last_end = end;
        }
    }

    fn fail(&mut self, error: &ScanError) {
        let source = &self.file.text();
        let at = self.range.start + error.marker().byte_offset().unwrap_or(0);
        let at = at.min(self.range.end);
        let at = (0..=at).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
        let kind = match error.kind() {
            ErrorKind::RecursionLimitExceeded => ProblemKind::TooDeep,
            ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart => ProblemKind::Tab,
            _ => ProblemKind::Syntax(error.info()),
        };
        let tab = source[self.range.start..at]
            .rfind('\t')
            .filter(|_| kind == ProblemKind::Tab);
        let span = match tab.map(|found| self.range.start + found) {
            Some(tab) => tab..tab + 1,
            None => visible(source, &self.range, at),
        };
        let span = self.file.span(span.start, span.end);
        self.problems.push(Problem { span, kind });
    }

    /// Closes the document that is being read.
    fn finish(&mut self, end: usize) {
        while !self.open.is_empty() {
            self.end(end);
        }
        let start = self
            .documents
            .last()
            .map_or(self.range.start, |document: &Document<'_>| {
                self.file.range(document.span).end.max(self.range.start)
            });
        let tree = std::mem::replace(&mut self.tree, Tree::new(self.file));
        let problems = std::mem::take(&mut self.problems);
        self.anchors.clear();
        self.documents.push(Document {
            span: self.file.span(start, end),
            tree,
            problems,
        });
    }
}

fn tag_of(tag: Option<&granit_parser::Tag>) -> Tag {
    match tag.and_then(granit_parser::Tag::core_suffix) {
        None if tag.is_none() => Tag::None,
        Some("str") => Tag::Str,
        Some("int" | "float" | "bool" | "null") => Tag::Int,
        _ => Tag::Other,
    }
}

pub(super) fn narrow(at: usize) -> u32 {
    u32::try_from(at).expect("a file is at most 4 GiB")
}

/// The token at an offset, or at the end of the text the last one before it: something a reader can see.
fn visible(source: &str, range: &Range<usize>, at: usize) -> Range<usize> {
    let blank = |c: char| c.is_whitespace();
    let rest = &source[at..range.end];
    if rest.chars().next().is_some_and(|c| !blank(c)) {
        let width = rest.find(blank).unwrap_or(rest.len());
        return at..at + width;
    }
    let before = source[range.start..at].trim_end();
    match before.char_indices().next_back() {
        Some((last, c)) => range.start + last..range.start + last + c.len_utf8(),
        None => at..(at + rest.chars().next().map_or(0, char::len_utf8)),
    }
}

/// Faults that show only in the finished tree.
fn inspect(document: &mut Document<'_>) {
    let mut problems = std::mem::take(&mut document.problems);
    let tree = &mut document.tree;
    note_merges(tree);
    let mut finder = Finder {
        tree,
        problems: &mut problems,
        scratch: Vec::new(),
    };
    finder.nodes();
    finder.tabs(document.span);
    let duplicates = problems
        .iter()
        .any(|problem| matches!(problem.kind, ProblemKind::DuplicateKey { .. }));
    document.tree.has_duplicates = duplicates;
    problems.sort_by_key(|problem| problem.span);
    document.problems = problems;
}

fn note_merges(tree: &mut Tree<'_>) {
    let range = tree.entries.first().map(|root| root.start as usize..root.end as usize);
    let Some(text) = range.and_then(|range| tree.text.get(range)) else {
        return;
    };
    if memmem::find(text.as_bytes(), b"<<").is_none() {
        return;
    }
    let merging: Vec<NodeId> = ids(tree)
        .filter(|id| tree.entries[*id as usize].kind == Kind::Mapping)
        .filter(|id| direct_keys(tree, *id).any(is_merge))
        .collect();
    for id in merging {
        tree.entries[id as usize].merges = true;
    }
}

fn ids(tree: &Tree<'_>) -> impl Iterator<Item = NodeId> + use<> {
    0..narrow(tree.entries.len())
}

fn direct_keys<'t, 's>(tree: &'t Tree<'s>, id: NodeId) -> impl Iterator<Item = Node<'t, 's>> {
    let mut next = id + 1;
    (0..tree.entries[id as usize].a / 2).map(move |_| {
        let key = tree.node(next);
        next = tree.after(tree.after(next));
        key
    })
}

struct Finder<'t, 's, 'p> {
    tree: &'t Tree<'s>,
    problems: &'p mut Vec<Problem>,
    scratch: Vec<(u64, NodeId)>,
}

impl Finder<'_, '_, '_> {
    fn nodes(&mut self) {
        let mut aliased = false;
        for id in ids(self.tree) {
            match self.tree.entries[id as usize].kind {
                Kind::Mapping => self.keys(id),
                Kind::Plain => self.plain(id),
                Kind::Alias => aliased = true,
                _ => {}
            }
        }
        if aliased {
            self.expansion();
        }
    }

    fn plain(&mut self, id: NodeId) {
        let entry = &self.tree.entries[id as usize];
        let first = self.tree.text.as_bytes().get(entry.a as usize);
        if !entry.cooked && !matches!(first, Some(b'.' | b'+' | b'-')) {
            return;
        }
        let node = self.tree.node(id);
        let text = node.text().unwrap_or_default();
        if matches!(text.as_bytes(), [b'.', ..] | [b'+' | b'-', b'.', ..])
            && matches!(scalar::resolve(text), Scalar::Float(value) if !value.is_finite())
        {
            self.problems.push(Problem {
                span: node.span(),
                kind: ProblemKind::NotFinite,
            });
        }
    }

    fn keys(&mut self, id: NodeId) {
        let mut seen = std::mem::take(&mut self.scratch);
        seen.clear();
        let count = self.tree.entries[id as usize].a / 2;
        for key in direct_keys(self.tree, id) {
            let name = key.key();
            if is_like_null(&name) && !is_key(key) {
                let template = self.tree.file.slice(key.span()).starts_with('{');
                let at = if key.span().is_empty() {
                    self.tree.node(id).span()
                } else {
                    key.span()
                };
                self.problems.push(Problem {
                    span: at,
                    kind: ProblemKind::KeyNotScalar { template },
                });
            } else if count > 1 && !(name == "<<" && is_merge(key)) {
                seen.push((hash(&name), key.id()));
            }
        }
        self.repeated(&mut seen);
        self.scratch = seen;
    }

    fn repeated(&mut self, seen: &mut [(u64, NodeId)]) {
        if seen.len() > 12 {
            seen.sort_unstable();
        }
        for (at, (digest, id)) in seen.iter().enumerate() {
            let mut before = seen[..at].iter();
            let same = if seen.len() > 12 {
                before.next_back().filter(|(other, _)| other == digest)
            } else {
                before.rfind(|(other, _)| other == digest)
            };
            if let Some((_, first)) = same {
                let (key, first) = (self.tree.node(*id), self.tree.node(*first));
                if key.key() == first.key() {
                    let kind = ProblemKind::DuplicateKey {
                        key: key.key().into_owned(),
                        first: first.span(),
                    };
                    self.problems.push(Problem { span: key.span(), kind });
                }
            }
        }
    }

    /// Sizes with every alias written out, from the last node back; an alias points to an earlier node, so those go
    /// forward.
    fn expansion(&mut self) {
        let tree = self.tree;
        let mut sizes = vec![1_u64; tree.entries.len()];
        let mut stack: Vec<NodeId> = Vec::new();
        let close = |stack: &mut Vec<NodeId>, sizes: &mut Vec<u64>, next: NodeId| {
            while stack.last().is_some_and(|open| tree.after(*open) <= next) {
                let open = stack.pop().expect("the stack was not empty");
                if let Some(parent) = stack.last() {
                    sizes[*parent as usize] = sizes[*parent as usize].saturating_add(sizes[open as usize]);
                }
            }
        };
        for id in ids(tree) {
            close(&mut stack, &mut sizes, id);
            let entry = &tree.entries[id as usize];
            if entry.kind == Kind::Alias {
                sizes[id as usize] = sizes[entry.a as usize];
                if sizes[id as usize] > EXPANSION {
                    self.problems.push(Problem {
                        span: tree.node(id).span(),
                        kind: ProblemKind::AliasBomb,
                    });
                    return;
                }
            }
            stack.push(id);
        }
        close(&mut stack, &mut sizes, narrow(tree.entries.len()));
        if sizes
            .first()
            .is_some_and(|size| *size > EXPANSION.max(tree.entries.len() as u64 * 10))
        {
            self.problems.push(Problem {
                span: tree.node(0).span(),
                kind: ProblemKind::AliasBomb,
            });
        }
    }

    /// libyaml refuses a tab on a line that is otherwise blank or a comment, outside of scalars and flow collections.
    fn tabs(&mut self, range: Span) {
        let file = self.tree.file;
        let text = file.slice(range);
        let start = file.range(range).start;
        let Some(first) = memchr(b'\t', text.as_bytes()) else {
            return;
        };
        let mut at = text[..first].rfind('\n').map_or(0, |found| found + 1);
        for line in text[at..].split_inclusive('\n') {
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            let rest = line[blank..].trim_end();
            if let Some(tab) = line[..blank].find('\t')
                && (rest.is_empty() || rest.starts_with('#'))
            {
                let tab = start + at + tab;
                if !self.inside_text_or_flow(narrow(tab)) {
                    self.problems.push(Problem {
                        span: file.span(tab, tab + 1),
                        kind: ProblemKind::Tab,
                    });
                }
            }
            at += line.len();
        }
    }

    fn inside_text_or_flow(&self, at: u32) -> bool {
        let after = self.tree.entries.last().is_none_or(|last| last.end <= at);
        after
            || self.tree.entries.iter().any(|entry| {
                let flow = matches!(entry.kind, Kind::Mapping | Kind::Sequence)
                    && matches!(self.tree.text.as_bytes().get(entry.start as usize), Some(b'{' | b'['));
                let scalar = matches!(entry.kind, Kind::Plain | Kind::Quoted | Kind::Block);
                (flow || scalar) && entry.start <= at && at < entry.end
            })
    }
}

/// Whether a key can be one in JSON: a scalar that is not null.
fn is_key(key: Node<'_, '_>) -> bool {
    key.text().is_some_and(|text| !is_like_null(text) || !key.is_null())
}

fn is_like_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn hash(key: &str) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = FxHasher::default();
    key.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
