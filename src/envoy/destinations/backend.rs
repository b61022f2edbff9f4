//! TLS towards hosts that is asked for by other means than a DestinationRule.

use super::MergedRule;
use crate::envoy::message::{Origin, Str};
use crate::source::Span;

/// TLS towards the ports of a host.
#[derive(Clone, Debug)]
pub struct BackendRule<'m> {
    /// The full host.
    pub host: Str,
    /// The namespace.
    pub namespace: &'m str,
    /// The name that istiod makes up for the DestinationRule that it comes to.
    pub name: Str,
    /// `metadata.creationTimestamp`, empty where it is missing.
    pub created: &'m str,
    /// What is asked for, one entry for each port.
    pub tls: Vec<BackendTls>,
    /// Where it is written.
    pub span: Span,
}

/// TLS towards a port: as with the mode `SIMPLE`.
#[derive(Clone, Debug, PartialEq)]
pub struct BackendTls {
    /// The number of the port; every one where there is none.
    pub port: Option<u32>,
    /// The SNI.
    pub sni: Str,
    /// Names of which the certificate must have one.
    pub subject_alt_names: Vec<Str>,
    /// The secret of the authorities, `configmap://shop/web-ca`; those of the system where it is empty.
    pub authorities: Str,
}

impl MergedRule<'_, '_> {
    /// TLS towards a port that is asked for by other means than a DestinationRule. It precedes what the rule says.
    pub fn backend_tls(&self, port: u32) -> Option<&BackendTls> {
        let of_port = self.backend_tls.iter().find(|tls| tls.port == Some(port));
        of_port.or_else(|| self.backend_tls.iter().find(|tls| tls.port.is_none()))
    }
}

impl<'m> From<BackendRule<'m>> for MergedRule<'m, '_> {
    fn from(rule: BackendRule<'m>) -> Self {
        Self {
            credit: Str::from(format!(
                "/apis/networking.istio.io/v1/namespaces/{}/destination-rule/{}",
                rule.namespace, rule.name
            )),
            host: rule.host,
            namespace: rule.namespace,
            traffic_policy: None,
            subsets: Vec::new(),
            selector: None,
            backend_tls: rule.tls,
            origin: Origin::of(rule.span),
            exported: Vec::new(),
        }
    }
}
