//! The protocol that a port is taken for.

/// What istiod makes of a port. Sources: catalogue of recordings, facts 1 and 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// HTTP/2.
    Http2,
    /// gRPC.
    Grpc,
    /// gRPC-Web.
    GrpcWeb,
    /// TLS, passed through.
    Https,
    /// TLS, passed through.
    Tls,
    /// Plain TCP.
    Tcp,
    /// UDP; istiod makes nothing of it.
    Udp,
    /// MongoDB.
    Mongo,
    /// `MySQL`.
    Mysql,
    /// Redis.
    Redis,
    /// Nothing says; proxies look at the first bytes.
    Auto,
}

impl Protocol {
    /// The protocol that a port of Istio's own kinds names; the case of letters does not count.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "http" | "http_proxy" => Self::Http,
            "http2" => Self::Http2,
            "grpc" => Self::Grpc,
            "grpc-web" => Self::GrpcWeb,
            "https" => Self::Https,
            "tls" => Self::Tls,
            "tcp" => Self::Tcp,
            "udp" => Self::Udp,
            "mongo" => Self::Mongo,
            "mysql" => Self::Mysql,
            "redis" => Self::Redis,
            _ => return None,
        })
    }

    /// Whether it is HTTP in plain text.
    pub fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Http2 | Self::Grpc | Self::GrpcWeb)
    }

    /// Whether it is TLS.
    pub fn is_tls(self) -> bool {
        matches!(self, Self::Https | Self::Tls)
    }
}

/// Ports on which the server speaks first, so that proxies must not wait for the client.
const SERVER_FIRST: [i64; 4] = [25, 53, 3306, 27017];

/// The protocol of a Service port: its transport, then `appProtocol`, then its name up to the first dash, then its number.
pub fn protocol(transport: Option<&str>, app_protocol: Option<&str>, name: Option<&str>, number: i64) -> Protocol {
    if transport.is_some_and(|transport| transport.eq_ignore_ascii_case("UDP")) {
        return Protocol::Udp;
    }
    let said = match app_protocol {
        Some("kubernetes.io/h2c") => return Protocol::Http2,
        Some("kubernetes.io/ws") => return Protocol::Http,
        Some("kubernetes.io/wss") => return Protocol::Https,
        Some(app_protocol) => Some(app_protocol),
        None => name,
    };
    match said.and_then(named) {
        Some(protocol) => protocol,
        None if SERVER_FIRST.contains(&number) => Protocol::Tcp,
        None => Protocol::Auto,
    }
}

fn named(text: &str) -> Option<Protocol> {
    let text = text.to_ascii_lowercase();
    if text.starts_with("grpc-web") {
        return Some(Protocol::GrpcWeb);
    }
    Some(match text.split('-').next()? {
        "http" => Protocol::Http,
        "http2" => Protocol::Http2,
        "grpc" => Protocol::Grpc,
        "https" => Protocol::Https,
        "tls" => Protocol::Tls,
        "tcp" => Protocol::Tcp,
        "udp" => Protocol::Udp,
        "mongo" => Protocol::Mongo,
        "mysql" => Protocol::Mysql,
        "redis" => Protocol::Redis,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_protocols_are_read_in_any_case() {
        assert_eq!(Protocol::from_name("GRPC-Web"), Some(Protocol::GrpcWeb));
        assert!(Protocol::from_name("HTTP_PROXY").is_some_and(Protocol::is_http));
        assert!(Protocol::from_name("https").is_some_and(Protocol::is_tls));
        assert_eq!(Protocol::from_name("http-web"), None);
    }

    #[test]
    fn protocols_follow_transport_app_protocol_name_and_number() {
        assert_eq!(protocol(None, None, Some("http-admin"), 3306), Protocol::Http);
        assert_eq!(protocol(None, Some("what"), Some("http"), 80), Protocol::Auto);
        assert_eq!(protocol(None, Some("kubernetes.io/h2c"), None, 80), Protocol::Http2);
        assert_eq!(protocol(Some("UDP"), None, Some("http"), 80), Protocol::Udp);
        assert_eq!(protocol(None, None, Some("grpc-web-x"), 80), Protocol::GrpcWeb);
        assert_eq!(protocol(None, None, Some("db"), 27017), Protocol::Tcp);
        for name in ["httpx", "web-http", "grpcx-y", "web"] {
            assert_eq!(protocol(None, None, Some(name), 8080), Protocol::Auto, "{name}");
        }
    }
}
