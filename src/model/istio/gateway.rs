//! `networking.istio.io` `Gateway`.

use super::ServerTlsSettings;
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Labels, Spanned, Text};

record! {
    /// Servers and the proxies that run them.
    Gateway<'a> {
        servers: ThinVec<Server<'a>> = list("servers", Server::decode);
        selector: Labels<'a> = labels("selector");
    }
    /// One port of the gateway.
    Server<'a> {
        port: Option<Box<Port<'a>>> = boxed("port", Port::decode);
        bind: Option<Text<'a>> = text("bind");
        hosts: ThinVec<Text<'a>> = texts("hosts");
        tls: Option<Box<ServerTlsSettings<'a>>> = boxed("tls", ServerTlsSettings::decode);
        has_tls: bool = has("tls");
        default_endpoint: Option<Text<'a>> = text("defaultEndpoint");
        name: Option<Text<'a>> = text("name");
    }
    /// Port of a server.
    Port<'a> {
        number: Option<Spanned<i64>> = number("number");
        protocol: Option<Text<'a>> = text("protocol");
        name: Option<Text<'a>> = text("name");
        target_port: Option<Spanned<i64>> = number("targetPort");
    }
}
