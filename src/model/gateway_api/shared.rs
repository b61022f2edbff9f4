//! Types that several kinds of the Gateway API use.

use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Labels, Spanned, Text};

record! {
    /// Selects by labels; all parts must hold.
    LabelSelector<'a> {
        match_expressions: ThinVec<LabelSelectorRequirement<'a>> = list("matchExpressions", LabelSelectorRequirement::decode);
        match_labels: Labels<'a> = labels("matchLabels");
    }
    /// One comparison of a label.
    LabelSelectorRequirement<'a> {
        key: Option<Text<'a>> = text("key");
        operator: Option<Text<'a>> = text("operator");
        values: ThinVec<Text<'a>> = texts("values");
    }
    /// Which routes may attach.
    AllowedRoutes<'a> {
        kinds: ThinVec<RouteGroupKind<'a>> = list("kinds", RouteGroupKind::decode);
        namespaces: Option<Box<RouteNamespaces<'a>>> = boxed("namespaces", RouteNamespaces::decode);
    }
    /// A kind of route.
    RouteGroupKind<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
    }
    /// Namespaces of the routes.
    RouteNamespaces<'a> {
        from: Option<Text<'a>> = text("from");
        selector: Option<Box<LabelSelector<'a>>> = boxed("selector", LabelSelector::decode);
    }
    /// TLS of a listener.
    ListenerTlsConfig<'a> {
        certificate_refs: ThinVec<SecretObjectReference<'a>> = list("certificateRefs", SecretObjectReference::decode);
        mode: Option<Text<'a>> = text("mode");
        options: Labels<'a> = labels("options");
    }
    /// A Secret or the like.
    SecretObjectReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
    }
    /// Where a route attaches.
    ParentReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
        port: Option<Spanned<i64>> = number("port");
        section_name: Option<Text<'a>> = text("sectionName");
    }
    /// An object of the same namespace.
    LocalObjectReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
    }
    /// A backend without weight.
    BackendObjectReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
        port: Option<Spanned<i64>> = number("port");
    }
    /// Changes of headers.
    HttpHeaderFilter<'a> {
        add: ThinVec<HttpHeader<'a>> = list("add", HttpHeader::decode);
        remove: ThinVec<Text<'a>> = texts("remove");
        set: ThinVec<HttpHeader<'a>> = list("set", HttpHeader::decode);
    }
    /// A header and its value.
    HttpHeader<'a> {
        name: Option<Text<'a>> = text("name");
        value: Option<Text<'a>> = text("value");
    }
    /// Sends copies; answers are dropped.
    HttpRequestMirrorFilter<'a> {
        backend_ref: Option<Box<BackendObjectReference<'a>>> = boxed("backendRef", BackendObjectReference::decode);
        fraction: Option<Box<Fraction>> = boxed("fraction", Fraction::decode);
        percent: Option<Spanned<i64>> = number("percent");
    }
    /// A share as a fraction.
    Fraction {
        denominator: Option<Spanned<i64>> = number("denominator");
        numerator: Option<Spanned<i64>> = number("numerator");
    }
    /// Keeps a client at one backend.
    SessionPersistence<'a> {
        absolute_timeout: Option<Text<'a>> = text("absoluteTimeout");
        cookie_config: Option<Box<CookieConfig<'a>>> = boxed("cookieConfig", CookieConfig::decode);
        session_name: Option<Text<'a>> = text("sessionName");
        type_name: Option<Text<'a>> = text("type");
    }
    /// Life of the cookie.
    CookieConfig<'a> {
        lifetime_type: Option<Text<'a>> = text("lifetimeType");
    }
    /// A backend with its share.
    BackendRef<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
        port: Option<Spanned<i64>> = number("port");
        weight: Option<Spanned<i64>> = number("weight");
    }
}
