//! JSON in, YAML out.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::report::neutral::acting;

/// Writes a key and its value on new lines.
///
/// # Errors
///
/// Those of `out`.
pub fn entry(key: &str, value: &Json, level: usize, out: &mut dyn Write) -> io::Result<()> {
    line(level, out)?;
    text(key, out)?;
    out.write_all(b":")?;
    after_key(value, level, out)
}

fn line(level: usize, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\n{:width$}", "", width = 2 * level)
}

fn after_key(value: &Json, level: usize, out: &mut dyn Write) -> io::Result<()> {
    match value {
        Json::Object(entries) if !entries.is_empty() => entries
            .iter()
            .try_for_each(|(key, value)| entry(key, value, level + 1, out)),
        Json::Array(items) if !items.is_empty() => items.iter().try_for_each(|value| {
            line(level, out)?;
            item(value, level, out)
        }),
        value => {
            out.write_all(b" ")?;
            scalar(value, out)
        }
    }
}

/// Writes an item; the first line of a mapping or list in it stands behind the dash.
fn item(value: &Json, level: usize, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"- ")?;
    match value {
        Json::Object(entries) if !entries.is_empty() => {
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    line(level + 1, out)?;
                }
                text(key, out)?;
                out.write_all(b":")?;
                after_key(value, level + 1, out)?;
            }
            Ok(())
        }
        Json::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                if index > 0 {
                    line(level + 1, out)?;
                }
                item(value, level + 1, out)?;
            }
            Ok(())
        }
        value => scalar(value, out),
    }
}

fn scalar(value: &Json, out: &mut dyn Write) -> io::Result<()> {
    match value {
        Json::Null => out.write_all(b"null"),
        Json::Bool(value) => write!(out, "{value}"),
        Json::Number(number) => write!(out, "{number}"),
        Json::String(value) => text(value, out),
        Json::Array(_) => out.write_all(b"[]"),
        Json::Object(_) => out.write_all(b"{}"),
    }
}

/// Writes a text plainly where no reader could take it for anything else, else in quotes.
fn text(text: &str, out: &mut dyn Write) -> io::Result<()> {
    if is_plain(text) {
        out.write_all(text.as_bytes())
    } else {
        quoted(text, out)
    }
}

fn is_plain(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./|".contains(&byte);
    let starts = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    starts && text.bytes().all(word) && !is_reserved(text)
}

/// The words that some version of YAML reads as something else than a text.
fn is_reserved(text: &str) -> bool {
    let words = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn quoted(text: &str, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"\"")?;
    for (at, c) in text.char_indices() {
        match c {
            '"' | '\\' => write!(out, "\\{c}")?,
            '\n' => out.write_all(b"\\n")?,
            '\t' => out.write_all(b"\\t")?,
            c if acting(&text[at..], &|_| false).is_some_and(|(found, _)| found == 0) => escape(c, out)?,
            c => write!(out, "{c}")?,
        }
    }
    out.write_all(b"\"")
}

fn escape(c: char, out: &mut dyn Write) -> io::Result<()> {
    let code = u32::from(c);
    if code > 0xffff {
        write!(out, "\\U{code:08x}")
    } else {
        write!(out, "\\u{code:04x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;
    use crate::yaml::{Node, Scalar, parse};
    use serde_json::json;

    fn read(node: Node<'_, '_>) -> Json {
        if node.is_mapping() {
            let entries = node.entries();
            let entries = entries.map(|(key, value)| (key.text().unwrap_or_default().to_owned(), read(value)));
            return Json::Object(entries.collect());
        }
        if node.is_sequence() {
            return node.items().map(read).collect();
        }
        match node.scalar() {
            Some(Scalar::Bool(value)) => Json::Bool(value),
            Some(Scalar::Int(value)) => Json::from(value),
            Some(Scalar::Float(value)) => Json::from(value),
            Some(Scalar::Text(value)) => Json::from(value),
            Some(Scalar::Null) | None => Json::Null,
        }
    }

    fn written(value: &Json) -> String {
        let mut out = b"all:".to_vec();
        entry("of it", value, 1, &mut out).expect("memory takes all");
        String::from_utf8(out).expect("YAML is text") + "\n"
    }

    fn round(value: &Json) -> Json {
        let text = written(value);
        let file = SourceFile::new("a.yaml".into(), text.into(), true, 0);
        let documents = parse(&file);
        assert!(
            documents.len() == 1 && documents[0].problems.is_empty(),
            "{}",
            written(value)
        );
        read(documents[0].tree.root().expect("there is a document"))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let texts = [
            "",
            " ",
            "a",
            "no",
            "Null",
            "~",
            "1",
            "1.5",
            "0x1f",
            "1e3",
            "-",
            "- a",
            "a: b",
            "a #b",
            "#a",
            "'",
            "\"",
            "\\",
            "a\nb\n",
            "\ttab",
            "@type",
            "*",
            "&a",
            "!b",
            "%c",
            "{}",
            "[]",
            "größe",
            "\u{1b}[0m",
            "\u{202e}",
            "\u{e0041}",
            "##[group]x",
            "outbound|80||web.shop.svc.cluster.local",
            "5s",
            "2026-01-01",
            ".inf",
            "12:30:45",
            "a:",
            ":a",
            "true",
            "On",
            "y",
            "|",
            ">",
            "?",
            "? a",
            ",",
            "`",
            "=",
            "<<",
            "/x",
            "..",
            "...",
            "---",
        ];
        for text in texts {
            let value = json!({text: [text, {text: text, "b": {}}, [], [[text], [1, [2]]]], "deep": {"er": [{"a": [{"b": text}]}]}});
            assert_eq!(round(&value), json!({"all": {"of it": value}}), "{}", written(&value));
        }
    }

    #[test]
    fn numbers_and_words_stay_what_they_are() {
        let value = json!([0, -1, 4_294_967_295_u32, 0.5, true, false, null, "true", "0", "null"]);
        assert_eq!(round(&value), json!({"all": {"of it": value}}));
    }

    #[test]
    fn mappings_in_lists_begin_at_the_dash() {
        let text = written(&json!([{"name": "80", "hosts": ["*"]}]));
        assert_eq!(text, "all:\n  \"of it\":\n  - name: \"80\"\n    hosts:\n    - \"*\"\n");
    }
}
