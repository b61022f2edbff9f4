//! Text of the input in, text that only shows out.
//!
//! Whoever writes the manifests must not steer the terminal or the build that prints a report: control characters,
//! characters that are invisible or turn the direction of writing, and the commands of build services are escaped.
//! Knows nothing of formats but how JSON escapes.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// A text on one line, with all that acts escaped as in `\u{1b}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// A line of source: as [`visible`], with its tabs.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\t')
}

/// A text of several lines: as [`visible`], with its line breaks.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c == '\n')
}

fn escaped(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(mut next) = acting(text, &keep) else {
        return Cow::Borrowed(text);
    };
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    loop {
        let (at, c) = next;
        shown.push_str(&rest[..at]);
        push_escape(&mut shown, c);
        rest = &rest[at + c.len_utf8()..];
        match acting(rest, &keep) {
            Some(found) => next = found,
            None => break,
        }
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

fn push_escape(shown: &mut String, c: char) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        c => write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("a String takes any text"),
    }
}

/// The first character that would do more than show.
pub fn acting(text: &str, keep: &impl Fn(char) -> bool) -> Option<(usize, char)> {
    text.char_indices()
        .find(|&(at, c)| (acts(c) && !keep(c)) || (c == '#' && begins_command(&text[at..])))
}

/// Whether a text surely does nothing more than show: the common case, seen at once.
fn is_harmless(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' if byte != b'#'))
}

/// Controls, format characters and blanks of no width, by the Unicode classes `Cc`, `Cf`, `Zl`, `Zp` and
/// `Default_Ignorable_Code_Point`; of the variation selectors only those that can carry hidden text.
fn acts(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// `##[group]`, `##vso[…]`: GitHub and Azure look for these anywhere on a line.
fn begins_command(text: &str) -> bool {
    let name = text.strip_prefix("##");
    name.is_some_and(|name| {
        name.trim_start_matches(|c: char| c.is_ascii_alphabetic())
            .starts_with('[')
    })
}

/// Writes a value as JSON in which nothing acts either, where it meets a terminal or a build log.
pub fn write_json(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Quiet))?;
    Ok(())
}

struct Quiet;

impl Formatter for Quiet {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if is_harmless(fragment) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, c)) = acting(rest, &|_| false) {
            writer.write_all(&rest.as_bytes()[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_escaped_and_all_else_stays() {
        assert_eq!(visible("a\u{1b}[31mb\u{9b}c\u{7f}"), "a\\u{1b}[31mb\\u{9b}c\\u{7f}");
        assert_eq!(
            visible("a\u{202e}b\u{2066}\u{200b}\u{feff}"),
            "a\\u{202e}b\\u{2066}\\u{200b}\\u{feff}"
        );
        assert_eq!(visible("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(visible("größe 東京 # ## x"), "größe 東京 # ## x");
        assert_eq!(visible("##[group]a ###vso[x]"), "\\u{23}#[group]a #\\u{23}#vso[x]");
        assert_eq!(visible_line("\ta\u{0}"), "\ta\\u{0}");
        assert_eq!(visible_lines("a\nb\r"), "a\nb\\r");
    }

    #[test]
    fn json_means_the_same_after_escaping() {
        let text = "\u{1b}\u{9b}\"\\\u{202e}\u{e0041}##[x]é";
        let mut out = Vec::new();
        write_json(&text, &mut out).expect("memory takes all");
        let json = String::from_utf8(out).expect("JSON is text");
        assert_eq!(json, r#""\u001b\u009b\"\\\u202e\udb40\udc41\u0023#[x]é""#);
        assert_eq!(serde_json::from_str::<String>(&json).expect("it is JSON"), text);
    }
}
