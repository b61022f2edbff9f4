//! Names and values of HTTP headers.

/// Whether a text is a token of RFC 7230, the form of header names.
pub fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Why a text cannot be the value of a header that Envoy sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A control character other than a tab.
    Control,
    /// A `%` without a command and its closing `%`; `%%` stands for one.
    Command,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Fault::Control => "it holds a control character",
            Fault::Command => "a `%` opens a command that is not closed; `%%` stands for the character",
        })
    }
}

/// Judges the value of a header that Envoy sets, in which `%NAME%` and `%NAME(…)%` are commands.
///
/// # Errors
///
/// The first fault of the text.
pub fn check_value(text: &str) -> Result<(), Fault> {
    if text.bytes().any(|b| (b < 0x20 && b != b'\t') || b == 0x7f) {
        return Err(Fault::Control);
    }
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('%') {
        rest = match after.strip_prefix('%') {
            Some(after) => after,
            None => after_command(after).ok_or(Fault::Command)?,
        };
    }
    Ok(())
}

/// What follows a command whose opening `%` is gone: `NAME%`, `NAME(argument)%` or `NAME(["a", "b"])%`.
fn after_command(text: &str) -> Option<&str> {
    let end = text.find(['%', '('])?;
    let rest = &text[end + 1..];
    if text.as_bytes()[end] == b'%' {
        return Some(rest);
    }
    let arguments = blanks(rest);
    let mut rest = match arguments.strip_prefix('[') {
        Some(list) => blanks(list).strip_prefix('"')?,
        None => arguments.get(arguments.chars().next()?.len_utf8()..)?,
    };
    loop {
        let (after, closed) = after_argument(rest)?;
        let after = blanks(after);
        if closed {
            return after.strip_prefix('%');
        }
        if let Some(end) = after.strip_prefix(']') {
            return blanks(blanks(end).strip_prefix(')')?).strip_prefix('%');
        }
        rest = blanks(after.strip_prefix(',')?).strip_prefix('"')?;
    }
}

/// An argument to its `)` or `"`, and whether it was the `)`; a backslash takes the next character with it.
fn after_argument(text: &str) -> Option<(&str, bool)> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next()?;
            }
            ')' => return Some((&text[at + 1..], true)),
            '"' => return Some((&text[at + 1..], false)),
            _ => {}
        }
    }
    None
}

fn blanks(text: &str) -> &str {
    text.trim_start_matches(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_closed_commands() {
        for good in [
            "",
            "plain\ttext",
            "100%%",
            "%REQ(X)%",
            "a %PROTOCOL% b",
            "%UPSTREAM_METADATA([\"a\", \"b\"])%",
            "%START_TIME( %s.%3f )  %",
        ] {
            assert_eq!(check_value(good), Ok(()), "{good}");
        }
        for bad in ["100%", "%REQ(X)", "%REQ(X):10%", "%A([\"a\" \"b\"])%", "%A(x\\", "%é"] {
            assert_eq!(check_value(bad), Err(Fault::Command), "{bad}");
        }
        assert_eq!(check_value("a\nb"), Err(Fault::Control));
        assert!(is_token("x-a_b~") && !is_token("") && !is_token("a b") && !is_token("é"));
    }
}
