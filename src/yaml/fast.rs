//! Ordinary YAML read by hand, many times faster than by the parser crate.
//!
//! Reads block collections, plain and quoted scalars and flow collections of one line, block scalars and comments: what
//! nearly every manifest is made of. At the first sight of anything else, faults among it, it gives up, and the parser
//! reads the document. What it does read gives the very same entries; `tests` compare the two.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3, memmem};

use super::parse::{NESTING, narrow};
use super::tree::{Comment, Entry, Kind, Tag, Tree};
use crate::source::SourceFile;

/// Keys may be at most 1,024 characters long.
const KEY: usize = 1000;

/// Reads one document into an empty tree. `None` leaves the tree and the cooked text as they were.
pub(super) fn read(file: &SourceFile, range: Range<usize>, tree: &mut Tree<'_>, cooked: &mut String) -> Option<()> {
    let text = file.text().get(..range.end)?;
    let kept = cooked.len();
    let mut reader = Reader {
        file,
        text,
        bytes: text.as_bytes(),
        at: range.start,
        line: range.start,
        tree,
        cooked,
        open: Vec::with_capacity(16),
        absent: None,
        last_end: 0,
    };
    let done = reader.document();
    if done.is_none() {
        tree.entries.clear();
        tree.comments.clear();
        cooked.truncate(kept);
    }
    done
}

/// A collection that is still open.
struct Open {
    id: u32,
    /// Where its keys or dashes stand. Of no meaning in flow collections.
    column: usize,
    children: u32,
    kind: Kind,
}

struct Reader<'r, 's> {
    file: &'r SourceFile,
    /// The file's text up to the end of the document.
    text: &'r str,
    bytes: &'r [u8],
    at: usize,
    /// Where the current line begins.
    line: usize,
    tree: &'r mut Tree<'s>,
    cooked: &'r mut String,
    open: Vec<Open>,
    /// The key or dash that was read last has no value yet. If none follows, it is null at this offset.
    absent: Option<usize>,
    /// The end of the node that was read last.
    last_end: u32,
}

impl Reader<'_, '_> {
    fn document(&mut self) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        if memchr(b'\r', rest).is_some() || (!rest.is_ascii() && memmem::find(rest, "\u{FEFF}".as_bytes()).is_some()) {
            return None;
        }
        let mark = rest.starts_with(b"---").then_some(self.at + 3);
        if let Some(after) = mark {
            self.at = after;
            self.end_line()?;
        }
        while self.at < self.bytes.len() {
            self.line = self.at;
            self.skip_spaces();
            match self.peek() {
                None | Some(b'\n' | b'#') => self.end_line()?,
                Some(_) => self.content()?,
            }
        }
        self.absent = self.absent.or(mark.filter(|_| self.tree.entries.is_empty()));
        self.end_value();
        while let Some(open) = self.open.pop() {
            self.close(&open, self.last_end);
        }
        Some(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Whether an indicator before `at` stands for itself: a space or the end of the line follows.
    fn is_apart(&self, at: usize) -> bool {
        matches!(self.bytes.get(at), None | Some(b' ' | b'\n'))
    }

    fn is_flow(&self, at: usize) -> bool {
        matches!(self.bytes.get(at), Some(b',' | b'[' | b']' | b'{' | b'}'))
    }

    fn is_dash(&self) -> bool {
        self.peek() == Some(b'-') && self.is_apart(self.at + 1)
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    fn line_end(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        memchr(b'\n', rest).map_or(self.bytes.len(), |found| self.at + found)
    }

    /// Goes to the next line; before it may only come a comment.
    fn end_line(&mut self) -> Option<()> {
        self.skip_spaces();
        match self.peek() {
            None => {}
            Some(b'\n') => self.at += 1,
            Some(b'#') if self.at == self.line || self.bytes.get(self.at - 1) == Some(&b' ') => {
                let end = self.line_end();
                self.tree.comments.push(Comment {
                    span: self.file.span(self.at, end),
                });
                self.at = (end + 1).min(self.bytes.len());
            }
            Some(_) => return None,
        }
        Some(())
    }

    /// A line with content, from its first character on.
    fn content(&mut self) -> Option<()> {
        let column = self.at - self.line;
        if column == 0 && self.bytes.get(self.at..)?.starts_with(b"...") {
            return None;
        }
        let is_dash = self.is_dash();
        let starts_node = self.belongs(column, is_dash)?;
        if is_dash {
            self.items(starts_node)
        } else {
            self.entry_or_node(starts_node)
        }
    }

    /// Closes what ends before a line, and tells whether a node starts there; else it is the next part of the
    /// innermost collection.
    fn belongs(&mut self, column: usize, is_dash: bool) -> Option<bool> {
        let Some(open) = self.open.last() else {
            return self.tree.entries.is_empty().then_some(true);
        };
        if self.absent.is_some() {
            let dashes_under_key = column == open.column && is_dash && open.kind == Kind::Mapping;
            if column > open.column || dashes_under_key {
                return Some(true);
            }
            self.end_value();
        }
        let ends = |open: &mut Open| {
            open.column > column || (open.column == column && open.kind == Kind::Sequence && !is_dash)
        };
        while let Some(open) = self.open.pop_if(ends) {
            self.close(&open, self.last_end);
        }
        let open = self.open.last()?;
        (open.column == column && (open.kind == Kind::Sequence) == is_dash).then_some(false)
    }

    /// One or more dashes in a line and what follows.
    fn items(&mut self, mut starts_list: bool) -> Option<()> {
        while self.is_dash() {
            let column = self.at - self.line;
            let under_key = self.open.last().is_some_and(|open| open.column == column);
            if starts_list {
                self.start(Kind::Sequence)?;
            }
            self.at += 1;
            self.skip_spaces();
            // The parser crate reports such a list from elsewhere.
            if starts_list && under_key && (self.is_dash() || self.peek() == Some(b'#')) {
                return None;
            }
            match self.peek() {
                None | Some(b'\n' | b'#') => {
                    self.absent = Some(self.line_end());
                    return self.end_line();
                }
                Some(_) => starts_list = true,
            }
        }
        self.entry_or_node(true)
    }

    /// An entry of a mapping, or where a node starts any node but a list.
    fn entry_or_node(&mut self, starts_node: bool) -> Option<()> {
        if starts_node && matches!(self.peek(), Some(b'[' | b'{' | b'|' | b'>')) {
            return self.node();
        }
        let scalar = self.scalar(false)?;
        self.skip_spaces();
        if self.peek() == Some(b':') && self.is_apart(self.at + 1) {
            let start = scalar.start as usize;
            if self.at - start > KEY {
                return None;
            }
            if starts_node {
                self.start_at(Kind::Mapping, start)?;
            }
            self.push(scalar);
            return self.value();
        }
        if !starts_node || self.open.is_empty() {
            return None;
        }
        self.push(scalar);
        self.end_line()
    }

    /// The value of a key, from its colon on.
    fn value(&mut self) -> Option<()> {
        let colon = self.at;
        self.at += 1;
        self.skip_spaces();
        if matches!(self.peek(), None | Some(b'\n' | b'#')) {
            self.absent = Some(colon);
            return self.end_line();
        }
        self.node()
    }

    /// A scalar or flow collection up to the end of the line, or a block scalar.
    fn node(&mut self) -> Option<()> {
        match self.peek()? {
            b'|' | b'>' => return self.block(),
            b'[' | b'{' if !self.open.is_empty() => self.flow()?,
            b'[' | b'{' => return None,
            _ => {
                let scalar = self.scalar(false)?;
                self.push(scalar);
            }
        }
        self.end_line()
    }

    /// A flow collection of one line; only `start` stops the recursion.
    fn flow(&mut self) -> Option<()> {
        let (kind, end) = match self.peek()? {
            b'{' => (Kind::Mapping, b'}'),
            _ => (Kind::Sequence, b']'),
        };
        self.start(kind)?;
        self.at += 1;
        self.skip_spaces();
        while self.peek() != Some(end) {
            if kind == Kind::Mapping {
                self.flow_key()?;
            }
            match self.peek()? {
                b'[' | b'{' => self.flow()?,
                _ => {
                    let scalar = self.scalar(true)?;
                    self.push(scalar);
                }
            }
            self.skip_spaces();
            if self.peek() == Some(b',') {
                self.at += 1;
                self.skip_spaces();
            } else if self.peek() != Some(end) {
                return None;
            }
        }
        self.at += 1;
        let open = self.open.pop()?;
        self.close(&open, narrow(self.at));
        Some(())
    }

    fn flow_key(&mut self) -> Option<()> {
        let key = self.scalar(true)?;
        self.skip_spaces();
        if self.peek() != Some(b':') || self.bytes.get(self.at + 1) != Some(&b' ') || self.at - key.start as usize > KEY
        {
            return None;
        }
        self.push(key);
        self.at += 1;
        self.skip_spaces();
        Some(())
    }

    fn scalar(&mut self, in_flow: bool) -> Option<Entry> {
        match self.peek()? {
            b'\'' => self.single_quoted(),
            b'"' => self.double_quoted(),
            first => self.plain(first, in_flow),
        }
    }

    fn plain(&mut self, first: u8, in_flow: bool) -> Option<Entry> {
        let start = self.at;
        let starts = match first {
            b'-' => !self.is_apart(start + 1) && !self.is_flow(start + 1),
            b':' => !self.is_apart(start + 1) && !in_flow,
            _ => PLAIN[first as usize] & START != 0,
        };
        if !starts {
            return None;
        }
        let stops = if in_flow { STOP | STOP_IN_FLOW } else { STOP };
        let mut end = start;
        loop {
            let rest = self.bytes.get(end..)?;
            end += rest
                .iter()
                .position(|b| PLAIN[*b as usize] & stops != 0)
                .unwrap_or(rest.len());
            match self.bytes.get(end) {
                Some(b':') if !(self.is_apart(end + 1) || in_flow && self.is_flow(end + 1)) => end += 1,
                Some(b'#') if self.bytes.get(end - 1) != Some(&b' ') => end += 1,
                Some(b'\t') => return None,
                _ => break,
            }
        }
        self.at = end;
        while end > start && self.bytes.get(end - 1) == Some(&b' ') {
            end -= 1;
        }
        Some(entry(Kind::Plain, start..end, start..end))
    }

    fn single_quoted(&mut self) -> Option<Entry> {
        let start = self.at + 1;
        let rest = self.bytes.get(start..)?;
        let end = start + memchr2(b'\'', b'\n', rest)?;
        let closes = self.bytes.get(end) == Some(&b'\'') && self.bytes.get(end + 1) != Some(&b'\'');
        closes.then(|| self.quoted(start..end))
    }

    fn double_quoted(&mut self) -> Option<Entry> {
        let start = self.at + 1;
        let rest = self.bytes.get(start..)?;
        let end = start + memchr3(b'"', b'\\', b'\n', rest)?;
        (self.bytes.get(end) == Some(&b'"')).then(|| self.quoted(start..end))
    }

    fn quoted(&mut self, text: Range<usize>) -> Entry {
        self.at = text.end + 1;
        entry(Kind::Quoted, text.start - 1..self.at, text)
    }

    /// A block scalar, up to the line after it.
    fn block(&mut self) -> Option<()> {
        let header = self.at;
        let folds = self.peek() == Some(b'>');
        self.at += 1;
        let chomping = self.peek().filter(|b| matches!(b, b'-' | b'+'));
        self.at += usize::from(chomping.is_some());
        self.skip_spaces();
        if self.peek() != Some(b'\n') {
            return None;
        }
        self.at += 1;
        let indent = self.block_indent()?;
        let start = self.cooked.len();
        let (end, breaks) = self.block_lines(indent, folds);
        if chomping != Some(b'-') {
            self.cooked.push('\n');
        }
        if chomping == Some(b'+') {
            self.push_breaks(breaks);
        }
        let length = self.text.get(header..end)?.trim_end().len();
        self.push(Entry {
            cooked: true,
            ..entry(Kind::Block, header..header + length, start..self.cooked.len())
        });
        Some(())
    }

    /// The column of a block scalar's text. Gives up where there is none.
    fn block_indent(&self) -> Option<usize> {
        let mut widest = 0;
        let mut line = self.at;
        loop {
            let rest = self.bytes.get(line..)?;
            let spaces = rest.iter().position(|b| *b != b' ')?;
            widest = widest.max(spaces);
            if rest.get(spaces) != Some(&b'\n') {
                let inside = spaces > self.open.last()?.column && spaces == widest;
                return inside.then_some(spaces);
            }
            line += spaces + 1;
        }
    }

    /// Cooks the lines of a block scalar. Gives the end of the last one and the number of empty lines after it.
    fn block_lines(&mut self, indent: usize, folds: bool) -> (usize, usize) {
        let (mut end, mut breaks) = (None, 0);
        let mut was_indented = false;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let spaces = rest.iter().take(indent).take_while(|b| **b == b' ').count();
            match rest.get(spaces) {
                Some(b'\n') => {
                    breaks += 1;
                    self.at += spaces + 1;
                    continue;
                }
                Some(_) if spaces == indent => self.at += spaces,
                Some(_) => break,
                None => {
                    self.at = self.bytes.len();
                    break;
                }
            }
            let is_indented = matches!(self.peek(), Some(b' ' | b'\t'));
            let joins = folds && end.is_some() && !was_indented && !is_indented;
            match (joins, breaks) {
                (true, 0) => self.cooked.push(' '),
                (true, _) => self.push_breaks(breaks),
                (false, _) => self.push_breaks(breaks + usize::from(end.is_some())),
            }
            let line_end = self.line_end();
            self.cooked
                .push_str(self.text.get(self.at..line_end).unwrap_or_default());
            self.at = (line_end + 1).min(self.bytes.len());
            (end, breaks, was_indented) = (Some(line_end), 0, is_indented);
        }
        (end.unwrap_or(self.at), breaks)
    }

    fn push_breaks(&mut self, count: usize) {
        self.cooked.extend(std::iter::repeat_n('\n', count));
    }

    fn push(&mut self, scalar: Entry) {
        self.absent = None;
        self.last_end = scalar.end;
        self.count_child();
        self.tree.entries.push(scalar);
    }

    /// The key or dash before, if it has no value, is null.
    fn end_value(&mut self) {
        if let Some(at) = self.absent {
            self.push(entry(Kind::Plain, at..at, at..at));
        }
    }

    fn count_child(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.children += 1;
        }
    }

    fn start(&mut self, kind: Kind) -> Option<()> {
        self.start_at(kind, self.at)
    }

    fn start_at(&mut self, kind: Kind, at: usize) -> Option<()> {
        if self.open.len() == NESTING {
            return None;
        }
        self.absent = None;
        self.count_child();
        self.open.push(Open {
            id: narrow(self.tree.entries.len()),
            column: at - self.line,
            children: 0,
            kind,
        });
        self.tree.entries.push(entry(kind, at..at, 0..0));
        Some(())
    }

    fn close(&mut self, open: &Open, end: u32) {
        let next = narrow(self.tree.entries.len());
        if let Some(entry) = self.tree.entries.get_mut(open.id as usize) {
            (entry.a, entry.b, entry.end) = (open.children, next, end);
        }
        self.last_end = end;
    }
}

fn entry(kind: Kind, span: Range<usize>, text: Range<usize>) -> Entry {
    Entry {
        start: narrow(span.start),
        end: narrow(span.end),
        a: narrow(text.start),
        b: narrow(text.end),
        kind,
        tag: Tag::None,
        cooked: false,
        merges: false,
    }
}

/// What a byte may do in a plain scalar.
const START: u8 = 1;
const STOP: u8 = 2;
const STOP_IN_FLOW: u8 = 4;

static PLAIN: [u8; 256] = plain_bytes();

const fn plain_bytes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 255;
    while byte > b' ' {
        table[byte as usize] = START;
        byte -= 1;
    }
    let mut at = 0;
    let indicators = b"-?:,[]{}#&*!|>'\"%@`";
    while at < indicators.len() {
        table[indicators[at] as usize] = 0;
        at += 1;
    }
    table[b':' as usize] = STOP;
    table[b'#' as usize] = STOP;
    table[b'\t' as usize] = STOP;
    table[b'\n' as usize] = STOP;
    table[b',' as usize] = STOP_IN_FLOW;
    table[b'[' as usize] = STOP_IN_FLOW;
    table[b']' as usize] = STOP_IN_FLOW;
    table[b'{' as usize] = STOP_IN_FLOW;
    table[b'}' as usize] = STOP_IN_FLOW;
    table
}
