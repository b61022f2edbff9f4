//! Ranges of addresses.

use std::net::IpAddr;

use crate::envoy::message::{CidrRange, Str};

/// A range, or the range of a single address.
pub(super) fn range(text: &str) -> Option<CidrRange> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length.parse().ok()?)),
        None => (text, None),
    };
    let parsed: IpAddr = address.parse().ok()?;
    let bits = if parsed.is_ipv4() { 32 } else { 128 };
    let length = length.unwrap_or(bits);
    (length <= bits).then(|| CidrRange {
        address_prefix: Str::from(parsed.to_string()),
        prefix_len: Some(length),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_addresses_are_ranges() {
        assert_eq!(range("192.0.2.7").and_then(|range| range.prefix_len), Some(32));
        assert_eq!(range("2001:db8::1").and_then(|range| range.prefix_len), Some(128));
        assert_eq!(range("192.0.2.0/0").and_then(|range| range.prefix_len), Some(0));
        assert_eq!(range("192.0.2.0/33"), None);
        assert_eq!(range("web"), None);
    }
}
