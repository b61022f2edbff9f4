//! `Gateway`s: servers, their TLS, and the pods they run on. The rules on TLS hold for the listeners of `Sidecar`s too.

mod certificates_with_istio_mutual;
mod certificates_without_effect;
mod conflicting_certificates;
mod contradictory_bind;
mod malformed_gateway_name;
mod missing_certificate;
mod missing_server_tls;
mod old_tls_without_ciphers;
mod redirect_without_http;
mod repeated_cipher_suite;
mod repeated_server_port_name;
mod tls_on_plain_port;
mod unknown_cipher_suite;
mod unmatched_gateway_selector;
mod unusable_revocation_list;

use super::Rule;
use crate::mesh::Mesh;
use crate::model::Header;
use crate::model::istio::{Gateway, ServerTlsSettings, Sidecar};

pub const RULES: &[Rule] = &[
    certificates_with_istio_mutual::RULE,
    certificates_without_effect::RULE,
    conflicting_certificates::RULE,
    contradictory_bind::RULE,
    malformed_gateway_name::RULE,
    missing_certificate::RULE,
    missing_server_tls::RULE,
    old_tls_without_ciphers::RULE,
    redirect_without_http::RULE,
    repeated_cipher_suite::RULE,
    repeated_server_port_name::RULE,
    tls_on_plain_port::RULE,
    unknown_cipher_suite::RULE,
    unmatched_gateway_selector::RULE,
    unusable_revocation_list::RULE,
];

/// The TLS settings of all servers: those of Gateways, and those of Sidecars for incoming connections.
fn tls_settings<'m, 'a>(mesh: &'m Mesh<'a>) -> impl Iterator<Item = (&'m Header<'a>, &'m ServerTlsSettings<'a>)> {
    let servers = mesh.all::<Gateway<'a>>().flat_map(|gateway| {
        let servers = gateway.body.servers.iter();
        servers.filter_map(move |server| Some((gateway.header, server.tls.as_deref()?)))
    });
    let listeners = mesh.all::<Sidecar<'a>>().flat_map(|sidecar| {
        let listeners = sidecar.body.ingress.iter();
        listeners.filter_map(move |listener| Some((sidecar.header, listener.tls.as_deref()?)))
    });
    servers.chain(listeners)
}
