//! `gateway.networking.k8s.io` `HTTPRoute`.

use super::{
    BackendObjectReference, HttpHeaderFilter, HttpRequestMirrorFilter, LocalObjectReference, ParentReference,
    SessionPersistence,
};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};

record! {
    /// Parents, hosts and rules.
    HttpRouteSpec<'a> {
        hostnames: ThinVec<Text<'a>> = texts("hostnames");
        parent_refs: ThinVec<ParentReference<'a>> = list("parentRefs", ParentReference::decode);
        rules: ThinVec<HttpRouteRule<'a>> = list("rules", HttpRouteRule::decode);
        use_default_gateways: Option<Text<'a>> = text("useDefaultGateways");
    }
    /// Conditions, filters and backends.
    HttpRouteRule<'a> {
        backend_refs: ThinVec<HttpBackendRef<'a>> = list("backendRefs", HttpBackendRef::decode);
        filters: ThinVec<HttpRouteFilter<'a>> = list("filters", HttpRouteFilter::decode);
        matches: ThinVec<HttpRouteMatch<'a>> = list("matches", HttpRouteMatch::decode);
        name: Option<Text<'a>> = text("name");
        retry: Option<Box<HttpRouteRetry<'a>>> = boxed("retry", HttpRouteRetry::decode);
        session_persistence: Option<Box<SessionPersistence<'a>>> = boxed("sessionPersistence", SessionPersistence::decode);
        timeouts: Option<Box<HttpRouteTimeouts<'a>>> = boxed("timeouts", HttpRouteTimeouts::decode);
    }
    /// A backend with its share.
    HttpBackendRef<'a> {
        filters: ThinVec<HttpRouteFilter<'a>> = list("filters", HttpRouteFilter::decode);
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
        port: Option<Spanned<i64>> = number("port");
        weight: Option<Spanned<i64>> = number("weight");
    }
    /// One change to requests; the field fits type.
    HttpRouteFilter<'a> {
        cors: Option<Box<HttpcorsFilter<'a>>> = boxed("cors", HttpcorsFilter::decode);
        extension_ref: Option<Box<LocalObjectReference<'a>>> = boxed("extensionRef", LocalObjectReference::decode);
        external_auth: Option<Box<HttpExternalAuthFilter<'a>>> = boxed("externalAuth", HttpExternalAuthFilter::decode);
        request_header_modifier: Option<Box<HttpHeaderFilter<'a>>> = boxed("requestHeaderModifier", HttpHeaderFilter::decode);
        request_mirror: Option<Box<HttpRequestMirrorFilter<'a>>> = boxed("requestMirror", HttpRequestMirrorFilter::decode);
        request_redirect: Option<Box<HttpRequestRedirectFilter<'a>>> = boxed("requestRedirect", HttpRequestRedirectFilter::decode);
        response_header_modifier: Option<Box<HttpHeaderFilter<'a>>> = boxed("responseHeaderModifier", HttpHeaderFilter::decode);
        type_name: Option<Text<'a>> = text("type");
        url_rewrite: Option<Box<HttpurlRewriteFilter<'a>>> = boxed("urlRewrite", HttpurlRewriteFilter::decode);
    }
    /// Cross-origin rules for web pages.
    HttpcorsFilter<'a> {
        allow_credentials: Option<Spanned<bool>> = boolean("allowCredentials");
        allow_headers: ThinVec<Text<'a>> = texts("allowHeaders");
        allow_methods: ThinVec<Text<'a>> = texts("allowMethods");
        allow_origins: ThinVec<Text<'a>> = texts("allowOrigins");
        expose_headers: ThinVec<Text<'a>> = texts("exposeHeaders");
        max_age: Option<Spanned<i64>> = number("maxAge");
    }
    /// External authorizer.
    HttpExternalAuthFilter<'a> {
        backend_ref: Option<Box<BackendObjectReference<'a>>> = boxed("backendRef", BackendObjectReference::decode);
        forward_body: Option<Box<ForwardBodyConfig>> = boxed("forwardBody", ForwardBodyConfig::decode);
        grpc: Option<Box<GrpcAuthConfig<'a>>> = boxed("grpc", GrpcAuthConfig::decode);
        http: Option<Box<HttpAuthConfig<'a>>> = boxed("http", HttpAuthConfig::decode);
        protocol: Option<Text<'a>> = text("protocol");
    }
    /// How much of the body is sent.
    ForwardBodyConfig {
        max_size: Option<Spanned<i64>> = number("maxSize");
    }
    /// gRPC protocol.
    GrpcAuthConfig<'a> {
        allowed_headers: ThinVec<Text<'a>> = texts("allowedHeaders");
    }
    /// HTTP protocol.
    HttpAuthConfig<'a> {
        allowed_headers: ThinVec<Text<'a>> = texts("allowedHeaders");
        allowed_response_headers: ThinVec<Text<'a>> = texts("allowedResponseHeaders");
        path: Option<Text<'a>> = text("path");
    }
    /// Answer that sends the client elsewhere.
    HttpRequestRedirectFilter<'a> {
        hostname: Option<Text<'a>> = text("hostname");
        path: Option<Box<HttpPathModifier<'a>>> = boxed("path", HttpPathModifier::decode);
        port: Option<Spanned<i64>> = number("port");
        scheme: Option<Text<'a>> = text("scheme");
        status_code: Option<Spanned<i64>> = number("statusCode");
    }
    /// New path; the field fits type.
    HttpPathModifier<'a> {
        replace_full_path: Option<Text<'a>> = text("replaceFullPath");
        replace_prefix_match: Option<Text<'a>> = text("replacePrefixMatch");
        type_name: Option<Text<'a>> = text("type");
    }
    /// Changes host and path before forwarding.
    HttpurlRewriteFilter<'a> {
        hostname: Option<Text<'a>> = text("hostname");
        path: Option<Box<HttpPathModifier<'a>>> = boxed("path", HttpPathModifier::decode);
    }
    /// Conditions of which all must hold.
    HttpRouteMatch<'a> {
        headers: ThinVec<HttpHeaderMatch<'a>> = list("headers", HttpHeaderMatch::decode);
        method: Option<Text<'a>> = text("method");
        path: Option<Box<HttpPathMatch<'a>>> = boxed("path", HttpPathMatch::decode);
        query_params: ThinVec<HttpQueryParamMatch<'a>> = list("queryParams", HttpQueryParamMatch::decode);
    }
    /// Condition on a header.
    HttpHeaderMatch<'a> {
        name: Option<Text<'a>> = text("name");
        type_name: Option<Text<'a>> = text("type");
        value: Option<Text<'a>> = text("value");
    }
    /// Condition on the path.
    HttpPathMatch<'a> {
        type_name: Option<Text<'a>> = text("type");
        value: Option<Text<'a>> = text("value");
    }
    /// Condition on a query parameter.
    HttpQueryParamMatch<'a> {
        name: Option<Text<'a>> = text("name");
        type_name: Option<Text<'a>> = text("type");
        value: Option<Text<'a>> = text("value");
    }
    /// When a request is sent again.
    HttpRouteRetry<'a> {
        attempts: Option<Spanned<i64>> = number("attempts");
        backoff: Option<Text<'a>> = text("backoff");
        codes: ThinVec<Spanned<i64>> = numbers("codes");
    }
    /// Time limits.
    HttpRouteTimeouts<'a> {
        backend_request: Option<Text<'a>> = text("backendRequest");
        request: Option<Text<'a>> = text("request");
    }
}
