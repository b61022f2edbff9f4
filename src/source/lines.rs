//! Byte offsets to lines and columns.

use memchr::memchr_iter;

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// Where each line of a text begins.
#[derive(Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Lines end at `\n`.
    pub fn new(text: &str) -> Self {
        let after_breaks = memchr_iter(b'\n', text.as_bytes()).map(|at| super::offset(at + 1));
        Self {
            starts: std::iter::once(0).chain(after_breaks).collect(),
        }
    }

    /// The position of a byte offset in the text the index was made of.
    pub fn position(&self, text: &str, at: u32) -> Position {
        let line = self.line_of(at as usize);
        let before = &text.as_bytes()[self.starts[line] as usize..(at as usize).min(text.len())];
        let mark = if line == 0 && before.starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        let characters = before[mark..].iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        Position {
            line: super::offset(line + 1),
            column: super::offset(characters + 1),
        }
    }

    /// The line, from 0, that a byte offset lies in.
    pub fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start as usize <= at) - 1
    }

    /// The bytes of a line, from 0, without its line break.
    pub fn line<'t>(&self, text: &'t str, line: usize) -> &'t str {
        let start = self.starts.get(line).map_or(text.len(), |at| *at as usize);
        let end = self.starts.get(line + 1).map_or(text.len(), |at| *at as usize);
        text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The offset at which a line, from 0, begins.
    pub fn start(&self, line: usize) -> Option<u32> {
        self.starts.get(line).copied()
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.starts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_not_the_byte_order_mark() {
        let text = "\u{FEFF}é: 1\nb: 2\n";
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 5), Position { line: 1, column: 2 });
        assert_eq!(index.position(text, 9), Position { line: 2, column: 1 });
        assert_eq!(index.line(text, 1), "b: 2");
        assert_eq!(index.count(), 3);
    }
}
