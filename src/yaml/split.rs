//! A file's text to the stretches that are parsed on their own.

use std::ops::Range;

use memchr::memchr;

/// The documents of a stream as byte ranges, each from its `---` line on.
///
/// YAML allows a line that begins with `---` inside no scalar, so cutting there needs no parser, and a document that does
/// not parse leaves its neighbours alone.
pub fn documents(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut starts = vec![if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }];
    let mut at = starts[0];
    while at < bytes.len() {
        if at > starts[0] && is_marker(&bytes[at..]) {
            starts.push(at);
        }
        at = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found + 1);
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| after_mark(text, start, end)..end)
        .collect()
}

/// A document may begin with a byte order mark of its own, behind its `---` line.
fn after_mark(text: &str, start: usize, end: usize) -> usize {
    let line = text[start..end].find('\n').map_or(end, |found| start + found + 1);
    if text[start..line].trim_end() == "---" && text[line..end].starts_with('\u{FEFF}') {
        line + 3
    } else {
        start
    }
}

fn is_marker(line: &[u8]) -> bool {
    line.starts_with(b"---") && matches!(line.get(3), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        documents(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn documents_begin_at_marker_lines() {
        assert_eq!(cut("a: 1\n---\nb: 2\n"), ["a: 1\n", "---\nb: 2\n"]);
        assert_eq!(
            cut("---\na: 1\n--- # note\n---b: 2\n"),
            ["---\na: 1\n", "--- # note\n---b: 2\n"]
        );
        assert_eq!(cut("\u{FEFF}a: |\n  ---\n"), ["a: |\n  ---\n"]);
        assert_eq!(cut("a: 1\n---\n\u{FEFF}b: 2\n"), ["a: 1\n", "b: 2\n"]);
        assert_eq!(cut(""), [""]);
    }
}
