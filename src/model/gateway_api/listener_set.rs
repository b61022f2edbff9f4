//! `gateway.networking.k8s.io` `ListenerSet`.

use super::{AllowedRoutes, ListenerTlsConfig};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};

record! {
    /// Parent and listeners.
    ListenerSetSpec<'a> {
        listeners: ThinVec<ListenerEntry<'a>> = list("listeners", ListenerEntry::decode);
        parent_ref: Option<Box<ParentGatewayReference<'a>>> = boxed("parentRef", ParentGatewayReference::decode);
    }
    /// A port with protocol and host.
    ListenerEntry<'a> {
        allowed_routes: Option<Box<AllowedRoutes<'a>>> = boxed("allowedRoutes", AllowedRoutes::decode);
        hostname: Option<Text<'a>> = text("hostname");
        name: Option<Text<'a>> = text("name");
        port: Option<Spanned<i64>> = number("port");
        protocol: Option<Text<'a>> = text("protocol");
        tls: Option<Box<ListenerTlsConfig<'a>>> = boxed("tls", ListenerTlsConfig::decode);
    }
    /// The Gateway.
    ParentGatewayReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
    }
}
