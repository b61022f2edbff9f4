//! Regular expressions as Go's `regexp`, and so RE2, reads them.

use std::fmt::{self, Write};

/// Why a text is no regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `(?=`, `(?!`, `(?<=` or `(?<!`.
    LookAround,
    /// `\1` and the like.
    BackReference,
    /// A backslash before a letter that means nothing.
    Escape(char),
    /// The last character is a backslash.
    TrailingBackslash,
    /// `a**`: a repetition of a repetition.
    Stacked(char),
    /// A repetition of nothing.
    Operand(char),
    /// A repetition of more than 1000, or from more to less.
    Count,
    /// Repetitions inside each other that together are more than 1000.
    NestedCount,
    /// `[z-a]`.
    Range(char, char),
    /// A class of characters that has no such name.
    Class(String),
    /// `[` without `]`.
    OpenClass,
    /// `(` without `)`.
    OpenGroup,
    /// `)` without `(`.
    Unopened,
    /// A group's name that is none, or is not closed.
    GroupName,
    /// Something else than flags after `(?`.
    Flags,
    /// More than 1000 levels.
    Depth,
    /// It would take too much memory.
    Size,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::LookAround => f.write_str("RE2 has no look-ahead and look-behind"),
            Fault::BackReference => f.write_str("RE2 has no back-references"),
            Fault::Escape(c) => write!(f, "`\\{c}` means nothing in RE2"),
            Fault::TrailingBackslash => f.write_str("nothing follows the last backslash"),
            Fault::Stacked(c) => write!(f, "`{c}` repeats what is repeated already"),
            Fault::Operand(c) => write!(f, "nothing stands before `{c}` that it could repeat"),
            Fault::Count => f.write_str("a repetition goes from a lower to a higher number, and up to 1000"),
            Fault::NestedCount => f.write_str("nested repetitions make more than 1000 together"),
            Fault::Range(low, high) => write!(f, "the range `{low}-{high}` is empty"),
            Fault::Class(name) => write!(f, "there is no class `{name}`"),
            Fault::OpenClass => f.write_str("a `[` is not closed"),
            Fault::OpenGroup => f.write_str("a `(` is not closed"),
            Fault::Unopened => f.write_str("a `)` closes nothing"),
            Fault::GroupName => f.write_str("a group's name consists of letters, digits and `_`, up to a `>`"),
            Fault::Flags => f.write_str("only the flags i, m, s and U may follow `(?`"),
            Fault::Depth => f.write_str("it has more than 1000 levels"),
            Fault::Size => f.write_str("it is too large"),
        }
    }
}

/// Judges a regular expression.
///
/// # Errors
/// The first fault of the text.
pub fn check(text: &str) -> Result<(), Fault> {
    to_rust(text).map(drop)
}

/// The same regular expression in the words of the `regex` crate, without captures.
///
/// # Errors
/// The first fault of the text.
pub fn to_rust(text: &str) -> Result<String, Fault> {
    Reader::new(text).pattern()
}

/// The highest number of a repetition, and of nested ones together.
const MOST: u32 = 1000;
/// Groups and repetitions inside each other.
const DEEPEST: u32 = 1000;
/// Instructions of the compiled expression.
const LARGEST: u64 = (128 << 20) / 40;

const TAKES_ALL: &str = "a string takes all text";

/// What a part of the expression amounts to.
#[derive(Clone, Copy, Default)]
struct Part {
    /// The product of nested repetitions.
    repeats: u32,
    depth: u32,
    size: u64,
}

impl Part {
    const ONE: Part = Part {
        repeats: 1,
        depth: 1,
        size: 1,
    };

    fn beside(self, other: Part) -> Part {
        Part {
            repeats: self.repeats.max(other.repeats),
            depth: self.depth.max(other.depth),
            size: self.size.saturating_add(other.size),
        }
    }
}

/// An open group.
#[derive(Default)]
struct Group {
    captures: bool,
    before: Part,
    /// What a repetition would repeat.
    last: Option<Part>,
}

impl Group {
    fn push(&mut self, part: Part) {
        self.settle();
        self.last = Some(part);
    }

    fn settle(&mut self) {
        self.before = self.before.beside(self.last.take().unwrap_or_default());
    }
}

struct Reader<'t> {
    rest: &'t str,
    out: String,
    group: Group,
    outer: Vec<Group>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            out: String::with_capacity(text.len() + 8),
            group: Group::default(),
            outer: Vec::new(),
        }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Takes a text that stands next.
    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn pattern(mut self) -> Result<String, Fault> {
        let mut repeated = false;
        while let Some(c) = self.next() {
            let before = std::mem::take(&mut repeated);
            match c {
                '(' => self.open()?,
                ')' => self.close()?,
                '|' => {
                    self.group.settle();
                    self.out.push('|');
                }
                '[' => self.class()?,
                '.' | '^' | '$' => self.operand(c.encode_utf8(&mut [0; 4])),
                '*' | '+' | '?' => {
                    repeated = true;
                    let (least, most) = if c == '+' {
                        (1, None)
                    } else {
                        (0, (c == '?').then_some(1))
                    };
                    self.repeat(c, before, least, most)?;
                }
                '{' => match self.counts() {
                    Some((least, most)) => {
                        repeated = true;
                        let wrong = least > MOST || most.is_some_and(|most| most > MOST || most < least);
                        if wrong {
                            return Err(Fault::Count);
                        }
                        self.repeat(c, before, least, most)?;
                    }
                    None => self.literal('{'),
                },
                '\\' => self.escape()?,
                c => self.literal(c),
            }
        }
        if self.outer.is_empty() {
            Ok(self.out)
        } else {
            Err(Fault::OpenGroup)
        }
    }

    fn operand(&mut self, text: &str) {
        self.out.push_str(text);
        self.group.push(Part::ONE);
    }

    fn literal(&mut self, c: char) {
        push_char(&mut self.out, u32::from(c));
        self.group.push(Part::ONE);
    }

    fn repeat(&mut self, op: char, stacked: bool, least: u32, most: Option<u32>) -> Result<(), Fault> {
        let lazy = self.take("?");
        if stacked {
            return Err(Fault::Stacked(op));
        }
        let inner = self.group.last.take().ok_or(Fault::Operand(op))?;
        let (times, more) = match most {
            Some(most) => (most, u64::from(most - least)),
            None => (least, 2),
        };
        let repeats = if most == Some(0) {
            1
        } else {
            inner.repeats.saturating_mul(times.max(1))
        };
        let part = Part {
            repeats,
            depth: inner.depth + 1,
            size: inner.size.saturating_mul(u64::from(times.max(1))).saturating_add(more),
        };
        if repeats > MOST {
            return Err(Fault::NestedCount);
        }
        if part.depth > DEEPEST {
            return Err(Fault::Depth);
        }
        if part.size > LARGEST {
            return Err(Fault::Size);
        }
        match (op, most) {
            ('{', Some(most)) => write!(self.out, "{{{least},{most}}}").expect(TAKES_ALL),
            ('{', None) => write!(self.out, "{{{least},}}").expect(TAKES_ALL),
            _ => self.out.push(op),
        }
        self.out.push_str(if lazy { "?" } else { "" });
        self.group.last = Some(part);
        Ok(())
    }

    /// `2}`, `2,}` or `2,3}`; anything else after a `{` makes it an ordinary character.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let (inside, rest) = self.rest.split_once('}')?;
        let (least, most) = match inside.split_once(',') {
            Some((least, "")) => (number(least)?, None),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
            None => (number(inside)?, Some(number(inside)?)),
        };
        self.rest = rest;
        Some((least, most))
    }

    fn open(&mut self) -> Result<(), Fault> {
        if !self.take("?") {
            self.enter(true);
            return Ok(());
        }
        if ["=", "!", "<=", "<!"].iter().any(|look| self.rest.starts_with(look)) {
            return Err(Fault::LookAround);
        }
        if self.take("P<") || self.take("<") {
            let (name, rest) = self.rest.split_once('>').ok_or(Fault::GroupName)?;
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(Fault::GroupName);
            }
            self.rest = rest;
            self.enter(true);
            return Ok(());
        }
        self.flags()
    }

    fn enter(&mut self, captures: bool) {
        self.out.push_str("(?:");
        self.nest(captures);
    }

    fn nest(&mut self, captures: bool) {
        let inner = Group {
            captures,
            ..Group::default()
        };
        self.outer.push(std::mem::replace(&mut self.group, inner));
    }

    /// `i-s:` or `i-s)`.
    fn flags(&mut self) -> Result<(), Fault> {
        let end = self.rest.find([':', ')']).ok_or(Fault::Flags)?;
        let flags = &self.rest[..end];
        let (on, off) = flags.split_once('-').map_or((flags, None), |(on, off)| (on, Some(off)));
        let known = |flags: &str| flags.chars().all(|c| matches!(c, 'i' | 'm' | 's' | 'U'));
        if !known(on) || off.is_some_and(|off| off.is_empty() || !known(off)) {
            return Err(Fault::Flags);
        }
        let opens = self.rest[end..].starts_with(':');
        self.rest = &self.rest[end + 1..];
        if !opens && flags.is_empty() {
            return Ok(());
        }
        // Go allows a flag twice.
        let unique = |flags: &str| {
            ['i', 'm', 's', 'U']
                .into_iter()
                .filter(|flag| flags.contains(*flag))
                .collect::<String>()
        };
        let off = unique(off.unwrap_or_default());
        let on: String = unique(on).chars().filter(|flag| !off.contains(*flag)).collect();
        let dash = if off.is_empty() { "" } else { "-" };
        let end = if opens { ':' } else { ')' };
        write!(self.out, "(?{on}{dash}{off}{end}").expect(TAKES_ALL);
        if opens {
            self.nest(false);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        let outer = self.outer.pop().ok_or(Fault::Unopened)?;
        let mut inner = std::mem::replace(&mut self.group, outer);
        inner.settle();
        let mut part = inner.before;
        part.repeats = part.repeats.max(1);
        part.size = part.size.max(1).saturating_add(u64::from(inner.captures) * 2);
        part.depth += u32::from(inner.captures);
        if part.depth > DEEPEST {
            return Err(Fault::Depth);
        }
        self.group.push(part);
        self.out.push(')');
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Fault> {
        if self.take("Q") {
            let (quoted, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
            self.rest = rest;
            quoted.chars().for_each(|c| self.literal(c));
            return Ok(());
        }
        let bounds = [("A", r"\A"), ("z", r"\z"), ("b", r"(?-u:\b)"), ("B", r"(?-u:\B)")];
        if let Some((_, bound)) = bounds.into_iter().find(|(letter, _)| self.take(letter)) {
            self.operand(bound);
            return Ok(());
        }
        if let Some(class) = self.named_class()? {
            self.operand(&class);
            return Ok(());
        }
        let c = self.escaped()?;
        push_char(&mut self.out, c);
        self.group.push(Part::ONE);
        Ok(())
    }

    /// `d`, `W`, `pL`, `P{Greek}` after a backslash.
    fn named_class(&mut self) -> Result<Option<String>, Fault> {
        let perl = [
            ("d", "[0-9]"),
            ("D", "[^0-9]"),
            ("s", r"[\t\n\f\r ]"),
            ("S", r"[^\t\n\f\r ]"),
            ("w", "[0-9A-Za-z_]"),
            ("W", "[^0-9A-Za-z_]"),
        ];
        if let Some((_, class)) = perl.into_iter().find(|(letter, _)| self.take(letter)) {
            return Ok(Some(class.to_owned()));
        }
        let positive = self.take("p");
        if !positive && !self.take("P") {
            return Ok(None);
        }
        let written = self.rest;
        let name = if self.take("{") {
            let (name, rest) = self
                .rest
                .split_once('}')
                .ok_or_else(|| Fault::Class(written.to_owned()))?;
            self.rest = rest;
            name
        } else {
            self.next().map_or("", |c| &written[..c.len_utf8()])
        };
        let (name, positive) = name
            .strip_prefix('^')
            .map_or((name, positive), |name| (name, !positive));
        let table = unicode_class(name).ok_or_else(|| Fault::Class(name.to_owned()))?;
        Ok(Some(format!("[{}{table}]", if positive { "" } else { "^" })))
    }

    /// The character of an escape, of which the backslash is read.
    fn escaped(&mut self) -> Result<u32, Fault> {
        let c = self.next().ok_or(Fault::TrailingBackslash)?;
        let octal = |b: u8| (b'0'..=b'7').contains(&b);
        let digit = self.rest.bytes().next().is_some_and(octal);
        match c {
            '0'..='7' if c == '0' || digit => {
                let more = self.rest.bytes().take(2).take_while(|b| octal(*b)).count();
                let (digits, rest) = self.rest.split_at(more);
                self.rest = rest;
                let value = digits.bytes().fold(u32::from(c) - u32::from('0'), |value, b| {
                    value * 8 + u32::from(b - b'0')
                });
                Ok(value)
            }
            '1'..='9' => Err(Fault::BackReference),
            'x' => self.hexadecimal().ok_or(Fault::Escape('x')),
            'a' => Ok(7),
            'f' => Ok(12),
            'n' => Ok(10),
            'r' => Ok(13),
            't' => Ok(9),
            'v' => Ok(11),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok(u32::from(c)),
            c => Err(Fault::Escape(c)),
        }
    }

    /// `41` or `{1F600}`.
    fn hexadecimal(&mut self) -> Option<u32> {
        let (digits, rest) = if self.take("{") {
            self.rest.split_once('}')?
        } else {
            (self.rest.get(..2)?, self.rest.get(2..)?)
        };
        self.rest = rest;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let digits = digits.trim_start_matches('0');
        let value = if digits.is_empty() {
            Some(0)
        } else {
            u32::from_str_radix(digits, 16).ok()
        };
        value.filter(|value| plain && *value <= u32::from(char::MAX))
    }

    fn class(&mut self) -> Result<(), Fault> {
        let mut class = String::from(if self.take("^") { "[^" } else { "[" });
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            first = false;
            if self.rest.starts_with("[:")
                && let Some((name, rest)) = self.rest[2..].split_once(":]")
            {
                let known = POSIX.contains(&name.strip_prefix('^').unwrap_or(name));
                if !known {
                    return Err(Fault::Class(format!("[:{name}:]")));
                }
                write!(class, "[:{name}:]").expect(TAKES_ALL);
                self.rest = rest;
                continue;
            }
            if let Some(escaped) = self.rest.strip_prefix('\\') {
                let before = std::mem::replace(&mut self.rest, escaped);
                if let Some(named) = self.named_class()? {
                    class.push_str(&named);
                    continue;
                }
                self.rest = before;
            }
            let low = self.class_character()?;
            push_char(&mut class, low);
            let range = self
                .rest
                .strip_prefix('-')
                .filter(|rest| !rest.is_empty() && !rest.starts_with(']'));
            if let Some(rest) = range {
                self.rest = rest;
                let high = self.class_character()?;
                if high < low {
                    let shown = |c| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
                    return Err(Fault::Range(shown(low), shown(high)));
                }
                class.push('-');
                push_char(&mut class, high);
            }
        }
        self.take("]");
        class.push(']');
        self.operand(&class);
        Ok(())
    }

    fn class_character(&mut self) -> Result<u32, Fault> {
        match self.next().ok_or(Fault::OpenClass)? {
            '\\' => self.escaped(),
            c => Ok(u32::from(c)),
        }
    }
}

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// A number without leading zeros. What is too large for Go to read is larger than allowed.
fn number(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let padded = digits.len() > 1 && digits.starts_with('0');
    (plain && !padded).then(|| digits.parse().unwrap_or(u32::MAX))
}

fn push_char(out: &mut String, c: u32) {
    match char::from_u32(c) {
        Some(c) if c.is_ascii_alphanumeric() => out.push(c),
        _ => write!(out, "\\x{{{c:X}}}").expect(TAKES_ALL),
    }
}

/// A category or script of Unicode as the `regex` crate writes it.
fn unicode_class(name: &str) -> Option<String> {
    let folded: String = name
        .chars()
        .filter(|c| !matches!(c, ' ' | '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect();
    if folded.is_empty() || !folded.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    if matches!(&*folded, "any" | "ascii" | "assigned") {
        return Some(format!("\\p{{{folded}}}"));
    }
    // No text has surrogates.
    if matches!(&*folded, "cs" | "surrogate") {
        return Some("[^\\p{any}]".to_owned());
    }
    [format!("\\p{{gc={folded}}}"), format!("\\p{{sc={folded}}}")]
        .into_iter()
        .find(|class| regex::Regex::new(class).is_ok())
}

/// A text as a pattern that it alone fits, as Go's `regexp.QuoteMeta` writes it.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Fault {
        check(text).expect_err(text)
    }

    #[test]
    fn what_go_refuses_is_refused() {
        for text in ["a++", "a**", "a+*", "a?+", "a{2}{3}", "a{2}*"] {
            assert!(matches!(fault(text), Fault::Stacked(_)), "{text}");
        }
        for text in ["*", "+a", "a|*", "(*a)", "{2}", "(?i)*"] {
            assert!(matches!(fault(text), Fault::Operand(_)), "{text}");
        }
        for text in ["a{1001}", "a{3,2}", "a{1,99999999999}"] {
            assert_eq!(fault(text), Fault::Count, "{text}");
        }
        for text in ["(a{1000}){2}", "((a{10}){10}){11}"] {
            assert_eq!(fault(text), Fault::NestedCount, "{text}");
        }
        for text in ["(?=a)", "a(?!b)", "(?<=a)b", "(?<!a)b"] {
            assert_eq!(fault(text), Fault::LookAround, "{text}");
        }
        for text in [r"\1", r"(a)\8"] {
            assert_eq!(fault(text), Fault::BackReference, "{text}");
        }
        for text in [
            r"\Z",
            r"\G",
            r"\C",
            r"\K",
            r"\h",
            r"\R",
            r"\e",
            r"\cA",
            r"\u0041",
            r"\u{41}",
            r"\x4",
            r"\x{110000}",
            r"\E",
            r"[\b]",
        ] {
            assert!(matches!(fault(text), Fault::Escape(_)), "{text}");
        }
        for text in ["(?x)a", "(?R)", "(?i-)", "(?P=n)", "(?>a)", "(?i"] {
            assert_eq!(fault(text), Fault::Flags, "{text}");
        }
        for text in ["(?P<>a)", "(?P<a-b>a)", "(?<n"] {
            assert_eq!(fault(text), Fault::GroupName, "{text}");
        }
        for text in ["[[:foo:]]", r"\p{Klingon}", r"\p{", r"\p", r"\p{sc=Greek}"] {
            assert!(matches!(fault(text), Fault::Class(_)), "{text}");
        }
        assert_eq!(fault("[z-a]"), Fault::Range('z', 'a'));
        assert_eq!(fault("[a--b]"), Fault::Range('a', '-'));
        assert_eq!(fault("[a"), Fault::OpenClass);
        assert_eq!(fault("[]"), Fault::OpenClass);
        assert_eq!(fault("(a"), Fault::OpenGroup);
        assert_eq!(fault("a)"), Fault::Unopened);
        assert_eq!(fault("a\\"), Fault::TrailingBackslash);
        assert_eq!(fault(&format!("(?:{}){{1000}}", "a".repeat(5000))), Fault::Size);
    }

    #[test]
    fn what_go_accepts_is_accepted() {
        for text in [
            "",
            "{",
            "a{",
            "a{1",
            "a{1,",
            "a{,5}",
            "a{01}",
            "]",
            "a|",
            "()",
            "^*",
            "(?)",
            r"\0",
            r"\12",
            r"\x{1F600}",
            r"[\w-z]",
            "[]a]",
            "[a-]",
            r"\<",
            r"\_",
            "(?P<n>a)(?<n>b)",
            "(?i-s:a)",
            "(?U)a+?",
            "(a{500}){2}",
            "(?:a{1000}){0}",
            r"\pL",
            r"\p{^Greek}",
            r"\P{uppercase letter}",
            "[[:^alpha:][:word:]]",
            r"\Q(*\E+",
            r"\Q(",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
        let nested = |levels: usize| format!("{}a{}", "(".repeat(levels), ")".repeat(levels));
        assert_eq!(check(&nested(999)), Ok(()));
        assert_eq!(fault(&nested(100_000)), Fault::Depth);
    }

    #[test]
    fn the_translation_means_the_same() {
        let matches = |pattern: &str, text: &str| {
            let translated = to_rust(pattern).expect(pattern);
            regex::Regex::new(&translated).expect(&translated).is_match(text)
        };
        for (pattern, yes, no) in [
            ("^[a&&b]$", "&", "c"),
            ("^[a~~b]$", "~", "c"),
            ("^[a[b]]$", "[]", "a"),
            (r"^\<a", "<a", "a"),
            (r"^\d$", "7", "\u{663}"),
            (r"^\w$", "a", "\u{e9}"),
            (r"^\Qa.b\E$", "a.b", "axb"),
            ("^a{,2}$", "a{,2}", "aa"),
            (r"^\101$", "A", "101"),
            (r"^\P{Cs}$", "a", ""),
            ("(?i)^K$", "\u{212a}", "x"),
        ] {
            assert!(matches(pattern, yes), "{pattern} {yes}");
            assert!(!matches(pattern, no), "{pattern} {no}");
        }
    }
}
