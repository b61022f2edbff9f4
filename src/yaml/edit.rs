//! Changes to the text that keep its style and comments.

use std::ops::Range;

use crate::source::{SourceFile, Sources, Span};

/// Replaces the bytes under a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes.
    pub span: Span,
    /// What comes in its place.
    pub text: String,
}

/// Another value for a scalar or another name for a key, in the quotes it has. `None` for a block scalar.
pub fn replace_scalar(sources: &Sources, span: Span, value: &str) -> Option<Edit> {
    let old = sources.text(span);
    let text = match old.as_bytes().first()? {
        b'|' | b'>' => return None,
        b'"' => double_quoted(value),
        b'\'' => single_quoted(value),
        _ if is_plain(value) => value.to_owned(),
        _ => double_quoted(value),
    };
    Some(Edit { span, text })
}

fn double_quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

fn single_quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// Whether a text can stand without quotes and still be read as that text, in a flow collection as well.
fn is_plain(value: &str) -> bool {
    let starts_well = value.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/' || c == '.');
    let holds_well = value.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    starts_well && holds_well && matches!(super::scalar::resolve(value), super::Scalar::Text(_))
}

/// The text of a file after its edits. Edits that overlap an earlier one are left out; the count tells how many were made.
pub fn apply<'e>(file: &SourceFile, edits: impl IntoIterator<Item = &'e Edit>) -> (String, usize) {
    let text = file.text();
    let mut edits: Vec<_> = edits.into_iter().collect();
    edits.sort_by_key(|edit| edit.span);
    edits.dedup();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    let mut made = 0;
    for edit in edits {
        let Range { start, end } = file.range(edit.span);
        if start >= at && end <= text.len() {
            result.push_str(&text[at..start]);
            result.push_str(&edit.text);
            at = end;
            made += 1;
        }
    }
    result.push_str(&text[at..]);
    (result, made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(text: &str, from: &str, value: &str) -> String {
        let sources = Sources::from_texts([("a.yaml", text)]);
        let start = text.find(from).expect("the test names a text that is there");
        let span = sources.files[0].span(start, start + from.len());
        let edit = replace_scalar(&sources, span, value).expect("a scalar of one line");
        apply(&sources.files[0], [&edit]).0
    }

    #[test]
    fn quotes_stay_and_come_where_they_are_needed() {
        assert_eq!(replaced("a: old # why", "old", "new"), "a: new # why");
        assert_eq!(replaced("a: 'old'", "'old'", "it's"), "a: 'it''s'");
        assert_eq!(replaced("a: \"old\"", "\"old\"", "new"), "a: \"new\"");
        assert_eq!(replaced("a: old", "old", "1"), "a: \"1\"");
        assert_eq!(replaced("a: old", "old", "*.x"), "a: \"*.x\"");
    }
}
