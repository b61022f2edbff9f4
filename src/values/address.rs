//! IP addresses and prefixes as Go's `net/netip` reads them.

use std::net::{IpAddr, Ipv6Addr};

/// The address of a text, without its zone: IPv4 in dotted decimals without leading zeros, or IPv6, which may have a zone.
pub fn parse(text: &str) -> Option<IpAddr> {
    match text.split_once('%') {
        Some((address, zone)) if !zone.is_empty() => address.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        _ => text.parse().ok(),
    }
}

/// Address and length of a prefix such as `10.0.0.0/8`. Bits behind the length may be set.
pub fn parse_prefix(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let plain = !length.is_empty() && length.bytes().all(|b| b.is_ascii_digit());
    if !plain || (length.len() > 1 && length.starts_with('0')) {
        return None;
    }
    let most = if address.is_ipv4() { 32 } else { 128 };
    let length = length.parse().ok().filter(|length| *length <= most)?;
    Some((address, length))
}

/// Whether an address lies in a prefix.
pub fn is_within(address: IpAddr, (network, length): (IpAddr, u8)) -> bool {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(u32::from(address)) << 96,
        IpAddr::V6(address) => u128::from(address),
    };
    let ignored = 128 - u32::from(length.min(128));
    let mask = u128::MAX.checked_shl(ignored).unwrap_or(0);
    address.is_ipv4() == network.is_ipv4() && bits(address) & mask == bits(network) & mask
}

/// Whether a text is an address, or a prefix where it has a single slash.
pub fn is_address_or_prefix(text: &str) -> bool {
    if text.matches('/').count() == 1 {
        parse_prefix(text).is_some()
    } else {
        parse(text).is_some()
    }
}

/// Host and port of `host:port`; an IPv6 address stands in brackets, which are left out.
pub fn split_port(text: &str) -> Option<(&str, &str)> {
    let (host, port) = text.rsplit_once(':')?;
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let plain = bracketed.is_some() || !host.contains(':');
    let host = bracketed.unwrap_or(host);
    let clean = !host.contains(['[', ']']) && !port.contains(['[', ']']);
    (plain && clean).then_some((host, port))
}

/// Whether a text, which stands behind `unix://`, names a socket: a file by its absolute path, or `@name`.
pub fn is_socket_path(path: &str) -> bool {
    path.starts_with('@') || (path.starts_with('/') && !path.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_hold_their_addresses() {
        let within = |address: &str, prefix: &str| {
            parse(address)
                .zip(parse_prefix(prefix))
                .is_some_and(|(address, prefix)| is_within(address, prefix))
        };
        assert!(within("10.1.2.3", "10.1.0.0/16") && within("10.1.2.3", "0.0.0.0/0"));
        assert!(!within("10.2.2.3", "10.1.0.0/16") && !within("::1", "0.0.0.0/0"));
        assert!(within("10.1.2.3", "10.1.2.3/32") && within("fd00::1", "fd00::/8"));
    }

    #[test]
    fn addresses_and_prefixes_are_read_as_go_reads_them() {
        for good in [
            "10.0.0.1",
            "::1",
            "fe80::1%eth0",
            "::ffff:10.0.0.1",
            "10.1.2.3/8",
            "2001:db8::/32",
        ] {
            assert!(is_address_or_prefix(good), "{good}");
        }
        for bad in [
            "",
            "10.0.0.01",
            "10.0.0",
            "fe80::1%",
            "10.0.0.1%eth0",
            "10.0.0.0/33",
            "10.0.0.0/08",
            "fe80::1%a/64",
            "1/2/3",
            "a.b",
        ] {
            assert!(!is_address_or_prefix(bad), "{bad}");
        }
    }

    #[test]
    fn hosts_and_ports_are_split_as_go_splits_them() {
        assert_eq!(split_port("127.0.0.1:80"), Some(("127.0.0.1", "80")));
        assert_eq!(split_port("[::1]:80"), Some(("::1", "80")));
        assert_eq!(split_port(":80"), Some(("", "80")));
        for bad in ["80", "::1:80", "[::1]", "[::1:80", "::1]:80", "[[::1]]:80"] {
            assert_eq!(split_port(bad), None, "{bad}");
        }
    }

    #[test]
    fn sockets_are_absolute_or_abstract() {
        assert!(is_socket_path("/run/app.sock") && is_socket_path("@app"));
        assert!(!is_socket_path("") && !is_socket_path("app.sock") && !is_socket_path("/run/"));
    }
}
