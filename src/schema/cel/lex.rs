//! The text of an expression to its words.

use std::fmt;

/// A word.
#[derive(Clone, Debug)]
pub enum Token {
    Int(u64),
    Negative(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    Name(String),
    Symbol(&'static str),
}

impl Token {
    /// Whether it is this symbol, or the operator `in`.
    pub fn is(&self, symbol: &str) -> bool {
        match self {
            Token::Symbol(own) => *own == symbol,
            Token::Name(name) => symbol == "in" && name == "in",
            _ => false,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Symbol(symbol) => f.write_str(symbol),
            Token::Name(name) => f.write_str(name),
            _ => f.write_str("a literal"),
        }
    }
}

/// The longer ones first.
const SYMBOLS: [&str; 25] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",", "(", ")", "[", "]",
    "{", "}", "",
];

/// Cuts an expression into words.
///
/// # Errors
/// What is wrong with it, in words.
pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text;
    let mut all = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        let Some(first) = rest.chars().next() else {
            return Ok(all);
        };
        let (token, after) = if let Some((token, after)) = string(rest)? {
            (token, after)
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            number(rest)?
        } else if first.is_ascii_alphabetic() || first == '_' {
            let (name, after) = split(rest, |c| c.is_ascii_alphanumeric() || c == '_');
            (Token::Name(name.to_owned()), after)
        } else if let Some((name, after)) = rest.strip_prefix('`').and_then(|rest| rest.split_once('`')) {
            (Token::Name(name.to_owned()), after)
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            let symbol = symbol
                .filter(|symbol| !symbol.is_empty())
                .ok_or_else(|| format!("`{first}` means nothing"))?;
            (Token::Symbol(symbol), &rest[symbol.len()..])
        };
        all.push(token);
        rest = after;
    }
}

fn split(text: &str, inside: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !inside(c)).unwrap_or(text.len()))
}

fn number(text: &str) -> Result<(Token, &str), String> {
    let wrong = |number: &str| format!("`{number}` is no number");
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let (digits, rest) = split(digits, |c| c.is_ascii_hexdigit());
        let value = u64::from_str_radix(digits, 16).map_err(|_| wrong(digits))?;
        return Ok(unsigned(value, rest));
    }
    let (whole, mut rest) = split(text, |c| c.is_ascii_digit());
    let mut length = whole.len();
    if let Some(fraction) = rest
        .strip_prefix('.')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        let (digits, after) = split(fraction, |c| c.is_ascii_digit());
        length += 1 + digits.len();
        rest = after;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let (digits, _) = split(unsigned, |c| c.is_ascii_digit());
        length += 1 + exponent.len() - unsigned.len() + digits.len();
    }
    let (number, rest) = text.split_at(length);
    if number.len() > whole.len() {
        return Ok((Token::Double(number.parse().map_err(|_| wrong(number))?), rest));
    }
    Ok(unsigned(number.parse().map_err(|_| wrong(number))?, rest))
}

fn unsigned(value: u64, rest: &str) -> (Token, &str) {
    match rest.strip_prefix(['u', 'U']) {
        Some(rest) => (Token::Uint(value), rest),
        None => (Token::Int(value), rest),
    }
}

/// A text or bytes in quotes, if one stands here.
fn string(text: &str) -> Result<Option<(Token, &str)>, String> {
    let (prefix, rest) = split(text, |c| matches!(c, 'r' | 'R' | 'b' | 'B'));
    let Some(quote) = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| rest.starts_with(quote))
    else {
        return Ok(None);
    };
    let (raw, bytes) = (prefix.contains(['r', 'R']), prefix.contains(['b', 'B']));
    let body = &rest[quote.len()..];
    let mut value = Vec::new();
    let mut at = 0;
    while !body[at..].starts_with(quote) {
        let c = body[at..].chars().next().ok_or("a text is not closed")?;
        if c == '\\' && !raw {
            at += escape(&body[at..], bytes, &mut value).ok_or("a text has an escape that means nothing")?;
        } else {
            value.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            at += c.len_utf8();
        }
    }
    let token = if bytes {
        Token::Bytes(value)
    } else {
        Token::Text(String::from_utf8(value).map_err(|_| "a text has bytes that are no characters")?)
    };
    Ok(Some((token, &body[at + quote.len()..])))
}

/// Adds what an escape stands for and says how long it is.
fn escape(text: &str, bytes: bool, value: &mut Vec<u8>) -> Option<usize> {
    let letter = text[1..].chars().next()?;
    let simple = match letter {
        'a' => Some(7),
        'b' => Some(8),
        'f' => Some(12),
        'n' => Some(10),
        'r' => Some(13),
        't' => Some(9),
        'v' => Some(11),
        '\\' | '?' | '"' | '\'' | '`' => u8::try_from(letter).ok(),
        _ => None,
    };
    if let Some(byte) = simple {
        value.push(byte);
        return Some(2);
    }
    let (skip, length, radix) = match letter {
        'x' | 'X' => (2, 2, 16),
        'u' => (2, 4, 16),
        'U' => (2, 8, 16),
        '0'..='3' => (1, 3, 8),
        _ => return None,
    };
    let code = u32::from_str_radix(text.get(skip..skip + length)?, radix).ok()?;
    if bytes && matches!(letter, 'x' | 'X' | '0'..='3') {
        value.push(u8::try_from(code).ok()?);
    } else {
        value.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Some(skip + length)
}
