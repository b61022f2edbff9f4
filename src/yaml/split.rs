//! A file's text to the stretches that are parsed on their own.

use std::ops::Range;

use memchr::memmem;

/// The documents of a stream as byte ranges, each from its `---` line on.
///
/// YAML allows a line that begins with `---` inside no scalar, so cutting there needs no parser, and a document that does
/// not parse leaves its neighbours alone.
pub fn documents(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut starts = vec![if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }];
    let markers = memmem::find_iter(bytes, b"\n---").map(|found| found + 1);
    starts.extend(markers.filter(|at| is_apart(bytes, at + 3)));
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

/// Whether a blank or the end of the line comes next.
fn is_apart(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
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
