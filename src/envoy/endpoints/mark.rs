//! Which endpoints are marked for mTLS, and what metadata say of them.

use crate::envoy::clusters::Destination;
use crate::envoy::message::{FilterMetadata, IstioMetadata, Metadata, Str, TransportSocketMatchMetadata};
use crate::envoy::registry::Endpoint;

impl Destination<'_, '_, '_> {
    /// Whether clients speak mTLS with an endpoint: it can, and the rule says so or, where it says nothing, the server does
    /// not refuse it (catalogue: TLS, 39; policies, 10 and 13).
    pub(super) fn marks(&self, endpoint: &Endpoint) -> bool {
        let port = self.port().number;
        if self.rule.is_some_and(|rule| rule.backend_tls(port).is_some()) {
            return false;
        }
        let mode = self.rule.and_then(|rule| rule.tls_mode_of_endpoints(port, self.subset));
        endpoint.mtls && mode.map_or(!endpoint.refuses_mtls, |mode| mode == "ISTIO_MUTUAL")
    }
}

/// What metadata say of an endpoint.
pub(super) fn metadata(workload: Str, marked: bool) -> Metadata {
    Metadata {
        filter_metadata: Box::new(FilterMetadata {
            istio: Some(IstioMetadata {
                workload,
                ..IstioMetadata::default()
            }),
            transport_socket_match: marked.then(|| TransportSocketMatchMetadata {
                tls_mode: Str::new_static("istio"),
                ..TransportSocketMatchMetadata::default()
            }),
            ..FilterMetadata::default()
        }),
    }
}
