//! The route model into which both APIs are lowered. Names are resolved (hosts are full, gateways are `namespace/name` or
//! `mesh`), delegates are merged; what depends on the proxy or the listener is still open.

use crate::envoy::message::{FractionalPercent, HeaderValueOption, HttpFault, Json, Origin, RetryPolicy, Str};
use crate::mesh::ExportTo;
use crate::source::Span;
use crate::values::host::is_covered;

/// A VirtualService, or what a route of the Gateway API comes to as one.
#[derive(Clone, Debug)]
pub struct VirtualRoutes<'m> {
    /// `metadata.name`, or the name that istiod makes up for a route of the Gateway API.
    pub name: Str,
    /// The namespace.
    pub namespace: &'m str,
    /// The path by which istiod credits it: `/apis/networking.istio.io/v1/namespaces/shop/virtual-service/web`.
    pub credit: Str,
    /// `metadata.creationTimestamp`, [`UNDATED`](crate::envoy::registry::UNDATED) where it is missing.
    pub created: &'m str,
    /// The hosts, full and in lower case.
    pub hosts: Vec<Str>,
    /// Where the hosts are written, in their order; empty where they are not.
    pub host_spans: Vec<Span>,
    /// `mesh` and Gateways as `namespace/name`.
    pub gateways: Vec<Str>,
    /// Who sees it.
    pub export_to: ExportTo<'m>,
    /// Which API it is written in, where the two differ in what routes look like.
    pub dialect: Dialect,
    /// Rules for HTTP.
    pub http: Vec<HttpRule>,
    /// Rules for TLS that is passed through.
    pub tls: Vec<TlsRule>,
    /// Rules for TCP.
    pub tcp: Vec<TcpRule>,
    /// Where it is written.
    pub span: Span,
}

impl VirtualRoutes<'_> {
    /// Where a host is written, or the pattern that covers it.
    pub fn host_span(&self, host: &str) -> Span {
        let place = self.hosts.iter().position(|own| is_covered(host, own));
        place
            .and_then(|place| self.host_spans.get(place))
            .copied()
            .unwrap_or(self.span)
    }
}

/// Which API a route is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `networking.istio.io`
    Istio,
    /// `gateway.networking.k8s.io`
    GatewayApi,
    /// `networking.k8s.io` `Ingress`
    Ingress,
}

/// One rule for HTTP.
#[derive(Clone, Debug, Default)]
pub struct HttpRule {
    /// The rule's name; may be empty.
    pub name: Str,
    /// One of them must hold; none means every request.
    pub matches: Vec<HttpMatch>,
    /// What becomes of the request.
    pub action: Action,
    /// Changes to path and authority.
    pub rewrite: Option<Rewrite>,
    /// Changes to headers.
    pub headers: HeaderChanges,
    /// `None` is no limit.
    pub timeout: Option<Str>,
    /// Whether a failed request is sent again.
    pub retries: Retries,
    /// Where copies go.
    pub mirrors: Vec<Mirror>,
    /// The policy as Envoy's filter takes it.
    pub cors: Option<Json>,
    /// Delays and aborts.
    pub fault: Option<HttpFault>,
    /// The rule, and that of the root where a delegate was merged into it.
    pub origin: Origin,
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub enum Action {
    /// It goes to one destination, or to one of several.
    Forward(Vec<WeightedDestination>),
    /// The client is sent elsewhere.
    Redirect(Redirect),
    /// The proxy answers.
    Respond {
        /// The status.
        status: u32,
        /// The text.
        body: Option<Str>,
        /// The bytes in base64, instead of the text.
        bytes: Option<Str>,
    },
}

impl Default for Action {
    fn default() -> Self {
        Action::Forward(Vec::new())
    }
}

/// Conditions on a request; all must hold.
#[derive(Clone, Debug, Default)]
pub struct HttpMatch {
    /// Its name; may be empty.
    pub name: Str,
    /// The path.
    pub path: Option<PathMatch>,
    /// Whether the case of the path's letters does not count.
    pub ignore_case: bool,
    /// `:method`
    pub method: Option<TextMatch>,
    /// `:authority`
    pub authority: Option<TextMatch>,
    /// `:scheme`
    pub scheme: Option<TextMatch>,
    /// Headers that must match.
    pub headers: Vec<(Str, TextMatch)>,
    /// Headers that must not match.
    pub without_headers: Vec<(Str, TextMatch)>,
    /// Parameters of the query.
    pub query: Vec<(Str, TextMatch)>,
    /// The port of the listener or server.
    pub port: Option<u32>,
    /// Labels of the client, or of the gateway.
    pub source_labels: Vec<(Str, Str)>,
    /// The namespace of the client, or of the gateway.
    pub source_namespace: Option<Str>,
    /// `mesh` and Gateways as `namespace/name`; replaces those of the routes.
    pub gateways: Vec<Str>,
    /// A name for statistics.
    pub stat_prefix: Str,
    /// Where it is written.
    pub origin: Origin,
}

/// A condition on a path.
#[derive(Clone, Debug, PartialEq)]
pub enum PathMatch {
    /// The whole path.
    Exact(Str),
    /// Its beginning.
    Prefix(Str),
    /// Its beginning, by whole segments.
    Segments(Str),
    /// A regular expression for all of it.
    Regex(Str),
}

/// A condition on a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TextMatch {
    /// The whole text.
    Exact(Str),
    /// Its beginning.
    Prefix(Str),
    /// A regular expression for all of it.
    Regex(Str),
    /// It is there.
    Present,
}

/// A destination and its share.
#[derive(Clone, Debug)]
pub struct WeightedDestination {
    /// Where to.
    pub destination: Destination,
    /// Its share; `None` where none is written.
    pub weight: Option<u32>,
    /// Changes to headers.
    pub headers: HeaderChanges,
}

/// Where a request goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Destination {
    /// The full host; of a backend that is none, the cluster's name stands in [`Self::cluster`].
    pub host: Str,
    /// The subset; empty for none.
    pub subset: Str,
    /// The port, where it is written.
    pub port: Option<u32>,
    /// A cluster that no service stands for, such as `UnknownService`.
    pub cluster: Option<Str>,
    /// Where it is written.
    pub span: Span,
}

/// Changes to path and authority.
#[derive(Clone, Debug, Default)]
pub struct Rewrite {
    /// What the matched part of the path becomes.
    pub uri: Option<Str>,
    /// What the path becomes, by a regular expression: pattern and substitution.
    pub uri_regex: Option<(Str, Str)>,
    /// What the authority becomes.
    pub authority: Option<Str>,
}

/// Changes to headers.
#[derive(Clone, Debug, Default)]
pub struct HeaderChanges {
    /// Set, then added, each sorted by name. Names that are the host are left out and stand in [`Self::host`].
    pub request: Vec<HeaderValueOption>,
    /// Removed.
    pub request_remove: Vec<Str>,
    /// Set, then added.
    pub response: Vec<HeaderValueOption>,
    /// Removed.
    pub response_remove: Vec<Str>,
    /// What the `Host` header is set to.
    pub host: Option<Str>,
}

/// Whether a failed request is sent again.
#[derive(Clone, Debug, Default)]
pub enum Retries {
    /// As the mesh says.
    #[default]
    Mesh,
    /// Never.
    Never,
    /// As the rule says.
    Policy(Box<RetryPolicy>),
}

/// A sharing of copies.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// Where to.
    pub destination: Destination,
    /// Which share of the requests; `None` is all of them.
    pub share: Option<FractionalPercent>,
}

/// A redirect.
#[derive(Clone, Debug, Default)]
pub struct Redirect {
    /// The new path.
    pub uri: Option<Str>,
    /// What the matched prefix becomes, instead of the whole path.
    pub prefix: Option<Str>,
    /// The new authority.
    pub authority: Option<Str>,
    /// The new scheme.
    pub scheme: Option<Str>,
    /// The new port.
    pub port: RedirectPort,
    /// The status; 0 is 301.
    pub status: u32,
}

/// The port of a redirect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RedirectPort {
    /// None is written.
    #[default]
    Unchanged,
    /// This one.
    Number(u32),
    /// The default of the scheme.
    FromProtocolDefault,
    /// That of the request.
    FromRequestPort,
}

/// A rule for TLS that is passed through.
#[derive(Clone, Debug, Default)]
pub struct TlsRule {
    /// One of them must hold.
    pub matches: Vec<TlsMatch>,
    /// Where the connection goes.
    pub destinations: Vec<WeightedDestination>,
    /// Where it is written.
    pub origin: Origin,
}

/// Conditions on a TLS connection.
#[derive(Clone, Debug, Default)]
pub struct TlsMatch {
    /// Names of the SNI, in the order of the text.
    pub sni_hosts: Vec<Str>,
    /// What it has in common with the match of a TCP connection.
    pub connection: ConnectionMatch,
}

/// A rule for TCP.
#[derive(Clone, Debug, Default)]
pub struct TcpRule {
    /// One of them must hold; none means every connection.
    pub matches: Vec<ConnectionMatch>,
    /// Where the connection goes.
    pub destinations: Vec<WeightedDestination>,
    /// Where it is written.
    pub origin: Origin,
}

/// Conditions on a connection.
#[derive(Clone, Debug, Default)]
pub struct ConnectionMatch {
    /// Ranges of the destination's address.
    pub destination_subnets: Vec<Str>,
    /// The port of the listener or server.
    pub port: Option<u32>,
    /// Labels of the client.
    pub source_labels: Vec<(Str, Str)>,
    /// The namespace of the client.
    pub source_namespace: Option<Str>,
    /// `mesh` and Gateways as `namespace/name`.
    pub gateways: Vec<Str>,
}
