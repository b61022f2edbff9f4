//! Points in time as RFC 3339 writes them.

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400;

/// Nanoseconds since 1970 of `2026-08-11T10:00:00Z`, or of the beginning of `2026-08-11`.
pub fn parse(text: &str) -> Option<i128> {
    let (date, time) = match text.get(10..)? {
        "" => (text, None),
        rest => (text.get(..10)?, Some(rest.strip_prefix(['T', 't'])?)),
    };
    let (year, month, day) = (digits(date, 0, 4)?, digits(date, 5, 2)?, digits(date, 8, 2)?);
    let dashes = date.get(4..5)? == "-" && date.get(7..8)? == "-";
    let month_length = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !dashes || !(1..=12).contains(&month) || !(1..=month_length).contains(&day) {
        return None;
    }
    let days = days(year, month, day) * DAY * SECOND;
    time.map_or(Some(days), |time| Some(days + clock(time)?))
}

fn clock(text: &str) -> Option<i128> {
    let (hour, minute, second) = (digits(text, 0, 2)?, digits(text, 3, 2)?, digits(text, 6, 2)?);
    let colons = text.get(2..3)? == ":" && text.get(5..6)? == ":";
    if !colons || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let rest = text.get(8..)?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("0", rest),
    };
    let shown = fraction.get(..fraction.len().min(9))?;
    let scale = 10_i128.pow(u32::try_from(9 - shown.len()).ok()?);
    let nanoseconds = shown.parse::<i128>().ok()? * scale;
    let offset = match zone {
        "Z" | "z" => 0,
        _ => {
            let sign = match zone.get(..1)? {
                "+" => 1,
                "-" => -1,
                _ => return None,
            };
            let (hours, minutes) = (digits(zone, 1, 2)?, digits(zone, 4, 2)?);
            if zone.len() != 6 || zone.get(3..4)? != ":" || hours > 23 || minutes > 59 {
                return None;
            }
            sign * (hours * 3600 + minutes * 60)
        }
    };
    Some((hour * 3600 + minute * 60 + second - offset) * SECOND + nanoseconds)
}

fn digits(text: &str, from: usize, length: usize) -> Option<i128> {
    let digits = text.get(from..from + length)?;
    digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

/// Days since 1970.
fn days(year: i128, month: i128, day: i128) -> i128 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day
        - 719_469
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(parse("1970-01-01"), Some(0));
        assert_eq!(parse("1970-01-01T00:00:01.5Z"), Some(1_500_000_000));
        assert_eq!(parse("2000-03-01T01:00:00+01:00"), Some(951_868_800 * SECOND));
        for bad in [
            "",
            "2026-02-29",
            "2026-08-11T",
            "2026-08-11T10:00:00",
            "2026-13-01",
            "2026-08-11 10:00:00Z",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
