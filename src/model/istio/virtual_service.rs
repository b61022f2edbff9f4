//! `networking.istio.io` `VirtualService`.

use super::{Destination, Headers, Percent, StringMatch};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Header, Labels, Spanned, Text};
use crate::source::Span;

record! {
    /// Routes for hosts.
    VirtualService<'a> {
        hosts: ThinVec<Text<'a>> = texts("hosts");
        gateways: ThinVec<Text<'a>> = texts("gateways");
        http: ThinVec<HttpRoute<'a>> = list("http", HttpRoute::decode);
        tls: ThinVec<TlsRoute<'a>> = list("tls", TlsRoute::decode);
        tcp: ThinVec<TcpRoute<'a>> = list("tcp", TcpRoute::decode);
        export_to: ThinVec<Text<'a>> = texts("exportTo");
        placeholders: bool = placeholders();
        lacks_hosts: bool = leaves_unset(&["hosts"]);
        lacks_gateways: bool = leaves_unset(&["gateways"]);
        lacks_routes: bool = leaves_unset(&["http", "tls", "tcp"]);
    }
    /// A rule for HTTP, HTTP/2 and gRPC.
    HttpRoute<'a> {
        name: Option<Text<'a>> = text("name");
        matches: ThinVec<HttpMatchRequest<'a>> = list("match", HttpMatchRequest::decode);
        route: ThinVec<HttpRouteDestination<'a>> = list("route", HttpRouteDestination::decode);
        redirect: Option<Box<HttpRedirect<'a>>> = boxed("redirect", HttpRedirect::decode);
        direct_response: Option<Box<HttpDirectResponse<'a>>> = boxed("directResponse", HttpDirectResponse::decode);
        delegate: Option<Box<Delegate<'a>>> = boxed("delegate", Delegate::decode);
        rewrite: Option<Box<HttpRewrite<'a>>> = boxed("rewrite", HttpRewrite::decode);
        timeout: Option<Text<'a>> = text("timeout");
        retries: Option<Box<HttpRetry<'a>>> = boxed("retries", HttpRetry::decode);
        fault: Option<Box<HttpFaultInjection<'a>>> = boxed("fault", HttpFaultInjection::decode);
        mirror: Option<Box<Destination<'a>>> = boxed("mirror", Destination::decode);
        mirrors: ThinVec<HttpMirrorPolicy<'a>> = list("mirrors", HttpMirrorPolicy::decode);
        mirror_percent: Option<Spanned<i64>> = number("mirrorPercent");
        mirror_percent_in_snake_case: Option<Spanned<i64>> = number("mirror_percent");
        mirror_percentage: Option<Box<Percent>> = boxed("mirrorPercentage", Percent::decode);
        cors_policy: Option<Box<CorsPolicy<'a>>> = boxed("corsPolicy", CorsPolicy::decode);
        headers: Option<Box<Headers<'a>>> = boxed("headers", Headers::decode);
        lacks_matches: bool = leaves_unset(&["match"]);
        lacks_action: bool = leaves_unset(&["route", "redirect", "directResponse", "delegate"]);
    }
    /// One set of conditions of a rule; all must hold.
    HttpMatchRequest<'a> {
        name: Option<Text<'a>> = text("name");
        uri: Option<Box<StringMatch<'a>>> = boxed("uri", StringMatch::decode);
        scheme: Option<Box<StringMatch<'a>>> = boxed("scheme", StringMatch::decode);
        method: Option<Box<StringMatch<'a>>> = boxed("method", StringMatch::decode);
        authority: Option<Box<StringMatch<'a>>> = boxed("authority", StringMatch::decode);
        headers: ThinVec<(Text<'a>, StringMatch<'a>)> = map("headers", StringMatch::decode);
        without_headers: ThinVec<(Text<'a>, StringMatch<'a>)> = map("withoutHeaders", StringMatch::decode);
        query_params: ThinVec<(Text<'a>, StringMatch<'a>)> = map("queryParams", StringMatch::decode);
        port: Option<Spanned<i64>> = number("port");
        source_labels: Labels<'a> = labels("sourceLabels");
        source_namespace: Option<Text<'a>> = text("sourceNamespace");
        gateways: ThinVec<Text<'a>> = texts("gateways");
        ignore_uri_case: Option<Spanned<bool>> = boolean("ignoreUriCase");
        stat_prefix: Option<Text<'a>> = text("statPrefix");
        placeholders: bool = placeholders();
        written_port: Option<Text<'a>> = text("port");
    }
    /// A destination with its share of the traffic.
    HttpRouteDestination<'a> {
        destination: Option<Destination<'a>> = object("destination", Destination::decode);
        weight: Option<Spanned<i64>> = number("weight");
        headers: Option<Box<Headers<'a>>> = boxed("headers", Headers::decode);
        lacks_weight: bool = leaves_unset(&["weight"]);
    }
    /// A redirect.
    HttpRedirect<'a> {
        uri: Option<Text<'a>> = text("uri");
        authority: Option<Text<'a>> = text("authority");
        port: Option<Spanned<i64>> = number("port");
        derive_port: Option<Text<'a>> = text("derivePort");
        scheme: Option<Text<'a>> = text("scheme");
        redirect_code: Option<Spanned<i64>> = number("redirectCode");
        prefix_rewrite: Option<Text<'a>> = text("prefixRewrite");
        lacks_port: bool = leaves_unset(&["port", "derivePort"]);
    }
    /// A fixed answer.
    HttpDirectResponse<'a> {
        status: Option<Spanned<i64>> = number("status");
        body: Option<Box<HttpBody<'a>>> = boxed("body", HttpBody::decode);
    }
    /// The body of a fixed answer.
    HttpBody<'a> {
        string: Option<Text<'a>> = text("string");
        bytes: Option<Text<'a>> = text("bytes");
    }
    /// Another `VirtualService` that holds the routes.
    Delegate<'a> {
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
    }
    /// Changes of path and authority.
    HttpRewrite<'a> {
        uri: Option<Text<'a>> = text("uri");
        authority: Option<Text<'a>> = text("authority");
        uri_regex_rewrite: Option<RegexRewrite<'a>> = object("uriRegexRewrite", RegexRewrite::decode);
        lacks_regex: bool = leaves_unset(&["uriRegexRewrite"]);
    }
    /// A path change by regular expression.
    RegexRewrite<'a> {
        matches: Option<Text<'a>> = text("match");
        rewrite: Option<Text<'a>> = text("rewrite");
    }
    /// Retries of a failed request.
    HttpRetry<'a> {
        attempts: Option<Spanned<i64>> = number("attempts");
        per_try_timeout: Option<Text<'a>> = text("perTryTimeout");
        retry_on: Option<Text<'a>> = text("retryOn");
        retry_remote_localities: Option<Spanned<bool>> = boolean("retryRemoteLocalities");
        retry_ignore_previous_hosts: Option<Spanned<bool>> = boolean("retryIgnorePreviousHosts");
        backoff: Option<Text<'a>> = text("backoff");
        lacks_attempts: bool = leaves_unset(&["attempts"]);
    }
    /// Faults that are made on purpose.
    HttpFaultInjection<'a> {
        delay: Option<Box<FaultDelay<'a>>> = boxed("delay", FaultDelay::decode);
        abort: Option<Box<FaultAbort<'a>>> = boxed("abort", FaultAbort::decode);
        lacks_faults: bool = leaves_unset(&["delay", "abort"]);
    }
    /// A delay.
    FaultDelay<'a> {
        fixed_delay: Option<Text<'a>> = text("fixedDelay");
        exponential_delay: Option<Text<'a>> = text("exponentialDelay");
        percent: Option<Spanned<i64>> = number("percent");
        percentage: Option<Percent> = object("percentage", Percent::decode);
    }
    /// An error answer.
    FaultAbort<'a> {
        http_status: Option<Spanned<i64>> = number("httpStatus");
        grpc_status: Option<Text<'a>> = text("grpcStatus");
        http2_error: Option<Text<'a>> = text("http2Error");
        percentage: Option<Percent> = object("percentage", Percent::decode);
        lacks_error: bool = leaves_unset(&["httpStatus", "grpcStatus", "http2Error"]);
    }
    /// A copy of the traffic to another destination.
    HttpMirrorPolicy<'a> {
        destination: Option<Destination<'a>> = object("destination", Destination::decode);
        percentage: Option<Percent> = object("percentage", Percent::decode);
    }
    /// Cross-origin rules.
    CorsPolicy<'a> {
        allow_origin: ThinVec<Text<'a>> = texts("allowOrigin");
        allow_origins: ThinVec<StringMatch<'a>> = list("allowOrigins", StringMatch::decode);
        allow_methods: ThinVec<Text<'a>> = texts("allowMethods");
        allow_headers: ThinVec<Text<'a>> = texts("allowHeaders");
        expose_headers: ThinVec<Text<'a>> = texts("exposeHeaders");
        max_age: Option<Text<'a>> = text("maxAge");
        allow_credentials: Option<Spanned<bool>> = boolean("allowCredentials");
        unmatched_preflights: Option<Text<'a>> = text("unmatchedPreflights");
    }
    /// A rule for TLS that is passed through.
    TlsRoute<'a> {
        matches: ThinVec<TlsMatchAttributes<'a>> = list("match", TlsMatchAttributes::decode);
        route: ThinVec<RouteDestination<'a>> = list("route", RouteDestination::decode);
        lacks_matches: bool = leaves_unset(&["match"]);
    }
    /// Conditions on a TLS connection.
    TlsMatchAttributes<'a> {
        sni_hosts: ThinVec<Text<'a>> = texts("sniHosts");
        destination_subnets: ThinVec<Text<'a>> = texts("destinationSubnets");
        port: Option<Spanned<i64>> = number("port");
        source_labels: Labels<'a> = labels("sourceLabels");
        gateways: ThinVec<Text<'a>> = texts("gateways");
        source_namespace: Option<Text<'a>> = text("sourceNamespace");
        placeholders: bool = placeholders();
        written_port: Option<Text<'a>> = text("port");
    }
    /// A rule for plain TCP.
    TcpRoute<'a> {
        matches: ThinVec<L4MatchAttributes<'a>> = list("match", L4MatchAttributes::decode);
        route: ThinVec<RouteDestination<'a>> = list("route", RouteDestination::decode);
        lacks_matches: bool = leaves_unset(&["match"]);
    }
    /// Conditions on a TCP connection.
    L4MatchAttributes<'a> {
        destination_subnets: ThinVec<Text<'a>> = texts("destinationSubnets");
        port: Option<Spanned<i64>> = number("port");
        source_labels: Labels<'a> = labels("sourceLabels");
        gateways: ThinVec<Text<'a>> = texts("gateways");
        source_namespace: Option<Text<'a>> = text("sourceNamespace");
        source_subnet: Option<Text<'a>> = text("sourceSubnet");
        placeholders: bool = placeholders();
        written_port: Option<Text<'a>> = text("port");
    }
    /// A destination of a TLS or TCP rule.
    RouteDestination<'a> {
        destination: Option<Destination<'a>> = object("destination", Destination::decode);
        weight: Option<Spanned<i64>> = number("weight");
        lacks_weight: bool = leaves_unset(&["weight"]);
    }
}

/// Which list of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteKind {
    /// `http`
    Http,
    /// `tls`
    Tls,
    /// `tcp`
    Tcp,
}

/// A route of any list.
#[derive(Clone, Debug)]
pub struct AnyRoute<'m, 'a> {
    /// The list it stands in.
    pub kind: RouteKind,
    /// Its matches; none means everything.
    pub matches: Vec<AnyMatch<'m, 'a>>,
    /// Where it is written.
    pub span: Span,
}

/// Conditions on the proxy and its listener, which the matches of all lists have.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names are those of the API")]
pub struct AnyMatch<'m, 'a> {
    pub port: Option<Spanned<i64>>,
    pub gateways: &'m [Text<'a>],
    pub source_labels: &'m Labels<'a>,
    pub source_namespace: Option<Text<'a>>,
    pub placeholders: bool,
}

macro_rules! any_route {
    ($kind:ident, $route:expr) => {
        AnyRoute {
            kind: RouteKind::$kind,
            span: $route.span,
            matches: ($route.matches.iter())
                .map(|entry| AnyMatch {
                    port: entry.port,
                    gateways: &entry.gateways,
                    source_labels: &entry.source_labels,
                    source_namespace: entry.source_namespace,
                    placeholders: entry.placeholders,
                })
                .collect(),
        }
    };
}

impl<'a> VirtualService<'a> {
    /// The routes of all lists.
    pub fn routes(&self) -> impl Iterator<Item = AnyRoute<'_, 'a>> {
        let http = self.http.iter().map(|route| any_route!(Http, route));
        let tls = self.tls.iter().map(|route| any_route!(Tls, route));
        http.chain(tls)
            .chain(self.tcp.iter().map(|route| any_route!(Tcp, route)))
    }

    /// Every destination that a rule names: routes and mirrors.
    pub fn destinations(&self) -> impl Iterator<Item = &Destination<'a>> {
        let http = self.http.iter().flat_map(HttpRoute::destinations);
        let tls = self.tls.iter().flat_map(|rule| &rule.route);
        let tcp = self.tcp.iter().flat_map(|rule| &rule.route);
        http.chain(tls.chain(tcp).filter_map(|route| route.destination.as_ref()))
    }

    /// Whether it only holds routes for others: it names no host.
    pub fn is_delegate(&self) -> bool {
        self.lacks_hosts
    }

    /// Whether sidecars use it, whatever is patched or filled in later.
    pub fn surely_in_mesh(&self, header: &Header<'_>) -> bool {
        let named = self.gateways.iter().any(|gateway| gateway.as_str() == "mesh");
        named || (self.lacks_gateways && !header.patched)
    }

    /// Whether sidecars use it: it names no gateway, or names `mesh`.
    pub fn in_mesh(&self) -> bool {
        self.gateways.is_empty() || self.gateways.iter().any(|gateway| gateway.as_str() == "mesh")
    }
}

impl<'a> HttpRoute<'a> {
    /// Routes and mirrors.
    pub fn destinations(&self) -> impl Iterator<Item = &Destination<'a>> {
        let routes = self.route.iter().filter_map(|route| route.destination.as_ref());
        let mirrors = self.mirrors.iter().filter_map(|mirror| mirror.destination.as_ref());
        routes.chain(self.mirror.as_deref()).chain(mirrors)
    }
}
