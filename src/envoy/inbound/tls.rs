//! TLS of servers inside of the mesh.

use crate::envoy::environment::Environment;
use crate::envoy::message::{
    CertificateValidationContext, CombinedValidationContext, CommonTlsContext, DownstreamTlsContext, SdsSecretConfig,
    Str, StringMatcher, TlsParameters,
};

/// The ciphers of TLS 1.2 that servers take.
const CIPHER_SUITES: [&str; 6] = [
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "AES256-GCM-SHA384",
    "AES128-GCM-SHA256",
];

/// Mutual TLS with the workload's own certificate: clients of the mesh's trust domains are let in (catalogue: policies, 18).
pub fn mutual_tls(environment: &Environment<'_, '_>, alpn: &[&'static str]) -> DownstreamTlsContext {
    let mut aliases: Vec<&Str> = environment.trust_domain_aliases.iter().collect();
    aliases.sort();
    aliases.dedup();
    aliases.retain(|alias| **alias != environment.trust_domain);
    let domains = std::iter::once(&environment.trust_domain).chain(aliases);
    let accepted = domains.map(|domain| StringMatcher::prefix(format!("spiffe://{domain}/")));
    DownstreamTlsContext {
        common_tls_context: CommonTlsContext {
            alpn_protocols: alpn.iter().copied().map(Str::new_static).collect(),
            combined_validation_context: Some(CombinedValidationContext {
                default_validation_context: CertificateValidationContext {
                    match_subject_alt_names: accepted.collect(),
                    ..CertificateValidationContext::default()
                },
                validation_context_sds_secret_config: SdsSecretConfig::agent("ROOTCA"),
            }),
            tls_certificate_sds_secret_configs: vec![SdsSecretConfig::agent("default")],
            tls_params: Some(parameters(environment)),
            ..CommonTlsContext::default()
        },
        require_client_certificate: Some(true),
    }
}

/// `meshMTLS` moves the lowest version.
fn parameters(environment: &Environment<'_, '_>) -> TlsParameters {
    let settings = environment.config.mesh_mtls.as_deref();
    let minimum = settings.and_then(|settings| settings.min_protocol_version);
    let highest = minimum.is_some_and(|minimum| minimum.as_str() == "TLSV1_3");
    TlsParameters {
        cipher_suites: CIPHER_SUITES.iter().copied().map(Str::new_static).collect(),
        ecdh_curves: Vec::new(),
        tls_maximum_protocol_version: "TLSv1_3",
        tls_minimum_protocol_version: if highest { "TLSv1_3" } else { "TLSv1_2" },
    }
}
