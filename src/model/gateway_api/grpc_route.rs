//! `gateway.networking.k8s.io` `GRPCRoute`.

use super::{HttpHeaderFilter, HttpRequestMirrorFilter, LocalObjectReference, ParentReference, SessionPersistence};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};

record! {
    /// Parents, hosts and rules.
    GrpcRouteSpec<'a> {
        hostnames: ThinVec<Text<'a>> = texts("hostnames");
        parent_refs: ThinVec<ParentReference<'a>> = list("parentRefs", ParentReference::decode);
        rules: ThinVec<GrpcRouteRule<'a>> = list("rules", GrpcRouteRule::decode);
        use_default_gateways: Option<Text<'a>> = text("useDefaultGateways");
    }
    /// Conditions, filters and backends.
    GrpcRouteRule<'a> {
        backend_refs: ThinVec<GrpcBackendRef<'a>> = list("backendRefs", GrpcBackendRef::decode);
        filters: ThinVec<GrpcRouteFilter<'a>> = list("filters", GrpcRouteFilter::decode);
        matches: ThinVec<GrpcRouteMatch<'a>> = list("matches", GrpcRouteMatch::decode);
        name: Option<Text<'a>> = text("name");
        session_persistence: Option<Box<SessionPersistence<'a>>> = boxed("sessionPersistence", SessionPersistence::decode);
    }
    /// A backend with its share.
    GrpcBackendRef<'a> {
        filters: ThinVec<GrpcRouteFilter<'a>> = list("filters", GrpcRouteFilter::decode);
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
        port: Option<Spanned<i64>> = number("port");
        weight: Option<Spanned<i64>> = number("weight");
    }
    /// One change to calls; the field fits type.
    GrpcRouteFilter<'a> {
        extension_ref: Option<Box<LocalObjectReference<'a>>> = boxed("extensionRef", LocalObjectReference::decode);
        request_header_modifier: Option<Box<HttpHeaderFilter<'a>>> = boxed("requestHeaderModifier", HttpHeaderFilter::decode);
        request_mirror: Option<Box<HttpRequestMirrorFilter<'a>>> = boxed("requestMirror", HttpRequestMirrorFilter::decode);
        response_header_modifier: Option<Box<HttpHeaderFilter<'a>>> = boxed("responseHeaderModifier", HttpHeaderFilter::decode);
        type_name: Option<Text<'a>> = text("type");
    }
    /// Conditions of which all must hold.
    GrpcRouteMatch<'a> {
        headers: ThinVec<GrpcHeaderMatch<'a>> = list("headers", GrpcHeaderMatch::decode);
        method: Option<Box<GrpcMethodMatch<'a>>> = boxed("method", GrpcMethodMatch::decode);
    }
    /// Condition on a header.
    GrpcHeaderMatch<'a> {
        name: Option<Text<'a>> = text("name");
        type_name: Option<Text<'a>> = text("type");
        value: Option<Text<'a>> = text("value");
    }
    /// Condition on service and method; one of them is needed.
    GrpcMethodMatch<'a> {
        method: Option<Text<'a>> = text("method");
        service: Option<Text<'a>> = text("service");
        type_name: Option<Text<'a>> = text("type");
    }
}
