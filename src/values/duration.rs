//! Durations as Go's `time.ParseDuration` reads them.

use std::fmt;

/// A length of time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

impl Duration {
    /// One millisecond, the smallest step that Envoy's timers know.
    pub const MILLISECOND: Duration = Duration(1_000_000);
    /// One second.
    pub const SECOND: Duration = Duration(1_000_000_000);

    /// Reads a text: an optional sign and one or more numbers with a unit (`1h30m`, `.5s`); `0` needs no unit.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, mut rest) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        if rest == "0" {
            return Some(Self(0));
        }
        if rest.is_empty() {
            return None;
        }
        let mut total: u128 = 0;
        while !rest.is_empty() {
            let (nanoseconds, after) = part(rest)?;
            total = total.checked_add(nanoseconds)?;
            rest = after;
        }
        let signed = if negative {
            0_i128.checked_sub_unsigned(total)?
        } else {
            i128::try_from(total).ok()?
        };
        i64::try_from(signed).ok().map(Self)
    }

    /// Whether it is a whole number of `unit`.
    pub fn is_whole(self, unit: Duration) -> bool {
        self.0 % unit.0 == 0
    }

    /// The form of proto3's JSON: seconds, with a fraction of 3, 6 or 9 digits where there is one.
    pub fn to_proto(self) -> String {
        let (seconds, rest) = (self.0 / Self::SECOND.0, (self.0 % Self::SECOND.0).unsigned_abs());
        let sign = if self.0 < 0 && seconds == 0 { "-" } else { "" };
        let fraction = match rest {
            0 => String::new(),
            rest if rest % 1_000_000 == 0 => format!(".{:03}", rest / 1_000_000),
            rest if rest % 1_000 == 0 => format!(".{:06}", rest / 1_000),
            rest => format!(".{rest:09}"),
        };
        format!("{sign}{seconds}{fraction}s")
    }
}

/// A number with its unit from the front of a text, in nanoseconds, and what follows.
fn part(text: &str) -> Option<(u128, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let (number, rest) = text.split_at(whole);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(digits(rest)),
        None => ("", rest),
    };
    if number.is_empty() && fraction.is_empty() {
        return None;
    }
    let end = rest
        .find(|c: char| c == '.' || c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let unit: u128 = match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let number: u128 = if number.is_empty() { 0 } else { number.parse().ok()? };
    let shown = &fraction[..fraction.len().min(18)];
    let fraction: u128 = if shown.is_empty() { 0 } else { shown.parse().ok()? };
    let scale = 10_u128.pow(u32::try_from(shown.len()).ok()?);
    Some((number.checked_mul(unit)?.checked_add(fraction * unit / scale)?, rest))
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            ("h", 3_600_000_000_000),
            ("m", 60_000_000_000),
            ("s", 1_000_000_000),
            ("ms", 1_000_000),
            ("us", 1_000),
        ];
        match units.into_iter().find(|(_, size)| self.0 != 0 && self.0 % size == 0) {
            Some((unit, size)) => write!(f, "{}{unit}", self.0 / size),
            None if self.0 == 0 => f.write_str("0s"),
            None => write!(f, "{}ns", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_reads_them() {
        let good = [
            ("0", 0),
            ("1h30m", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("+1s", 1_000_000_000),
            ("-1.5ms", -1_500_000),
            ("1\u{b5}s", 1_000),
            ("1s1s", 2_000_000_000),
        ];
        for (text, nanoseconds) in good {
            assert_eq!(Duration::parse(text), Some(Duration(nanoseconds)), "{text}");
        }
        for bad in ["", "1", "s", "1 s", "1d", "1S", "-", ".s", "300000000h", "1s "] {
            assert_eq!(Duration::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_are_written_in_their_largest_whole_unit() {
        for text in ["2h", "90m", "5s", "1500ms", "0s", "7ns"] {
            let parsed = Duration::parse(text).expect("it is a duration");
            assert_eq!(parsed.to_string(), text);
        }
    }
}
