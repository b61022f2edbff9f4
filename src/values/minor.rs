//! Minor versions of Istio.

use std::fmt;

/// A minor version of Istio's first major one: `1.22`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minor(pub u16);

impl Minor {
    /// The oldest whose API meshlint knows.
    pub const OLDEST: Minor = Minor(16);
    /// The newest whose API meshlint knows.
    pub const NEWEST: Minor = Minor(32);

    /// Reads `1.22`, and `1.22.3` as the same.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (minor, patch) = match text.strip_prefix("1.")?.split_once('.') {
            Some((minor, patch)) => (minor, Some(patch)),
            None => (text.strip_prefix("1.")?, None),
        };
        let good = digits(minor) && patch.is_none_or(digits);
        good.then(|| minor.parse().ok().map(Self)).flatten()
    }
}

impl Minor {
    /// Whether its API is known.
    pub fn is_known(self) -> bool {
        (Minor::OLDEST..=Minor::NEWEST).contains(&self)
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minors_are_read_with_and_without_patch() {
        assert_eq!(Minor::parse("1.22"), Some(Minor(22)));
        assert_eq!(Minor::parse("1.9.10"), Some(Minor(9)));
        for bad in [
            "", "1", "1.", "1.x", "2.1", "1.22.", "1.22.x", "v1.22", "1.+2", "1.22.1.1", "1.99999",
        ] {
            assert_eq!(Minor::parse(bad), None, "{bad}");
        }
        assert!(Minor(9) < Minor(22));
        assert_eq!(Minor(22).to_string(), "1.22");
    }
}
