//! Redirects.

use super::Compiler;
use crate::envoy::message::RedirectAction;
use crate::envoy::routing::model::{Redirect, RedirectPort};

impl Compiler<'_, '_, '_, '_> {
    /// The path is written even where it is empty; a port that the scheme implies is not (catalogue: routes, 44).
    pub(super) fn redirect(&self, redirect: &Redirect) -> RedirectAction {
        let port = match redirect.port {
            RedirectPort::Number(port) => port,
            RedirectPort::FromRequestPort => self.asker.port,
            RedirectPort::Unchanged | RedirectPort::FromProtocolDefault => 0,
        };
        let of_request = if self.asker.is_tls { "https" } else { "http" };
        let scheme = redirect.scheme.as_deref().unwrap_or(of_request);
        let path = redirect.uri.clone().unwrap_or_default();
        RedirectAction {
            host_redirect: redirect.authority.clone().unwrap_or_default(),
            path_redirect: redirect.prefix.is_none().then_some(path),
            prefix_rewrite: redirect.prefix.clone(),
            scheme_redirect: redirect.scheme.clone().unwrap_or_default(),
            port_redirect: if is_default(scheme, port) { 0 } else { port },
            response_code: code(redirect.status),
            ..RedirectAction::default()
        }
    }
}

fn is_default(scheme: &str, port: u32) -> bool {
    matches!((scheme, port), ("http", 80) | ("https", 443))
}

fn code(status: u32) -> &'static str {
    match status {
        302 => "FOUND",
        303 => "SEE_OTHER",
        307 => "TEMPORARY_REDIRECT",
        308 => "PERMANENT_REDIRECT",
        _ => "",
    }
}
