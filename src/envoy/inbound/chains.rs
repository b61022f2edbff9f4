//! In which ways a port takes connections, by protocol and mode of mutual TLS.

use crate::envoy::mtls::Mode;
use crate::mesh::Protocol;

/// What a port speaks, as far as chains differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// HTTP.
    Http,
    /// Bytes.
    Tcp,
    /// Whatever the first bytes look like.
    Either,
}

impl Speech {
    /// What a port of a protocol speaks.
    pub fn of(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Http | Protocol::Http2 | Protocol::Grpc | Protocol::GrpcWeb => Self::Http,
            Protocol::Auto => Self::Either,
            _ => Self::Tcp,
        }
    }
}

/// One way to connect, which is one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Whether it is HTTP.
    pub http: bool,
    /// Whether mutual TLS ends here.
    pub mutual_tls: bool,
    /// `tls` or `raw_buffer`.
    pub transport: &'static str,
    /// The ALPN of TLS connections, or what the first bytes look like.
    pub application_protocols: &'static [&'static str],
}

/// What clients of the mesh offer.
const ISTIO: &[&str] = &[
    "istio",
    "istio-peer-exchange",
    "istio-http/1.0",
    "istio-http/1.1",
    "istio-h2",
];
/// What they offer for TCP.
const ISTIO_TCP: &[&str] = &["istio-peer-exchange", "istio"];
/// What they offer for HTTP.
const ISTIO_HTTP: &[&str] = &["istio-http/1.0", "istio-http/1.1", "istio-h2"];
/// What HTTP looks like in the open.
const PLAIN_HTTP: &[&str] = &["http/1.1", "h2c"];

const fn mutual(http: bool, application_protocols: &'static [&'static str]) -> Way {
    Way {
        http,
        mutual_tls: true,
        transport: "tls",
        application_protocols,
    }
}

const fn plain(http: bool, application_protocols: &'static [&'static str]) -> Way {
    Way {
        http,
        mutual_tls: false,
        transport: "raw_buffer",
        application_protocols,
    }
}

/// TLS that is the application's own matter.
const OPAQUE: Way = Way {
    http: false,
    mutual_tls: false,
    transport: "tls",
    application_protocols: &[],
};

/// The ways of a port in their order (catalogue: policies, 1, 2 and 4).
pub fn ways(mode: Mode, speech: Speech) -> &'static [Way] {
    match (mode, speech) {
        (Mode::Permissive, Speech::Http) => const { &[mutual(true, ISTIO), plain(true, &[])] },
        (Mode::Permissive, Speech::Tcp) => const { &[mutual(false, ISTIO), OPAQUE, plain(false, &[])] },
        (Mode::Permissive, Speech::Either) => {
            const {
                &[
                    mutual(true, ISTIO_HTTP),
                    plain(true, PLAIN_HTTP),
                    mutual(false, ISTIO_TCP),
                    plain(false, &[]),
                    OPAQUE,
                ]
            }
        }
        (Mode::Strict, Speech::Http) => const { &[mutual(true, &[])] },
        (Mode::Strict, Speech::Tcp) => const { &[mutual(false, &[])] },
        (Mode::Strict, Speech::Either) => const { &[mutual(true, ISTIO_HTTP), mutual(false, &[])] },
        (Mode::Disable, Speech::Http) => const { &[plain(true, &[])] },
        (Mode::Disable, Speech::Tcp) => const { &[plain(false, &[])] },
        (Mode::Disable, Speech::Either) => const { &[plain(true, PLAIN_HTTP), plain(false, &[])] },
    }
}
