//! What does not become anything, and why.

use crate::source::Span;

/// A part of a resource from which nothing came for a proxy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unused {
    /// Why.
    pub reason: Reason,
    /// The part.
    pub span: Span,
    /// The place of what stands in its way, if something does.
    pub because: Option<Span>,
}

/// Why a part came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The gateway serves no host that the routes are for.
    HostNotServed,
    /// An older VirtualService, or one that is nearer to the proxy, has the host.
    Shadowed,
    /// A route before it takes every request.
    Unreachable,
    /// No endpoint has the labels of the subset.
    SubsetWithoutEndpoints,
    /// The port is taken for TCP or TLS, so rules for HTTP do nothing.
    NotHttp,
    /// The port is taken for HTTP, so rules for TCP and TLS do nothing.
    NotTcp,
    /// The proxy does not import it.
    OutOfScope,
    /// Attributes of HTTP on a TCP port: in ALLOW the rule never matches, in DENY and the others it loses them.
    HttpAttributes,
    /// The patch of an EnvoyFilter found nothing to change.
    NothingPatched,
    /// No server of the gateway has the port.
    NoServer,
    /// The server is in conflict with an earlier one.
    Conflict,
}
