//! The TLS settings of a server as a context of Envoy.

use super::model::ServerTls;
use crate::envoy::environment::Environment;
use crate::envoy::message::{
    CertificateValidationContext, CombinedValidationContext, CommonTlsContext, DownstreamTlsContext, Json,
    SdsSecretConfig, Str, StringMatcher, TlsParameters,
};
use crate::model::Text;
use crate::model::istio::ServerTlsSettings;
use crate::values::tls::CIPHER_SUITES;

/// What a server does with TLS. Without a mode it is passed through, as that is the first of the modes.
pub fn server_tls(settings: &ServerTlsSettings<'_>, environment: &Environment<'_, '_>) -> ServerTls {
    match settings.mode.map_or("PASSTHROUGH", |mode| mode.as_str()) {
        "PASSTHROUGH" => ServerTls::Passthrough,
        "AUTO_PASSTHROUGH" => ServerTls::AutoPassthrough,
        "ISTIO_MUTUAL" => ServerTls::IstioMutual(Box::new(context(settings, environment))),
        _ => ServerTls::Terminate(Box::new(context(settings, environment))),
    }
}

/// Certificates, what is asked of clients, and parameters (catalogue: gateways, 23 to 26).
fn context(settings: &ServerTlsSettings<'_>, environment: &Environment<'_, '_>) -> DownstreamTlsContext {
    let mode = settings.mode.map_or("", |mode| mode.as_str());
    let asks_clients = matches!(mode, "MUTUAL" | "OPTIONAL_MUTUAL" | "ISTIO_MUTUAL");
    DownstreamTlsContext {
        common_tls_context: CommonTlsContext {
            combined_validation_context: authorities(settings).filter(|_| asks_clients).map(|secret| {
                CombinedValidationContext {
                    default_validation_context: validation(settings),
                    validation_context_sds_secret_config: secret,
                }
            }),
            tls_certificate_sds_secret_configs: certificates(settings),
            tls_params: parameters(settings, environment),
            ..CommonTlsContext::default()
        },
        require_client_certificate: Some(matches!(mode, "MUTUAL" | "ISTIO_MUTUAL")),
    }
}

fn is_istio_mutual(settings: &ServerTlsSettings<'_>) -> bool {
    settings.mode.is_some_and(|mode| mode.as_str() == "ISTIO_MUTUAL")
}

fn credentials<'s>(settings: &'s ServerTlsSettings<'_>) -> impl Iterator<Item = &'s str> {
    let several = settings.credential_names.iter().map(Text::as_str);
    let single = settings.credential_name.as_ref().map(Text::as_str);
    let single = single.filter(|name| settings.credential_names.is_empty() && !name.is_empty());
    several.chain(single)
}

fn certificates(settings: &ServerTlsSettings<'_>) -> Vec<SdsSecretConfig> {
    if is_istio_mutual(settings) {
        return vec![SdsSecretConfig::agent("default")];
    }
    let named: Vec<SdsSecretConfig> = credentials(settings).map(SdsSecretConfig::credential).collect();
    if !named.is_empty() {
        return named;
    }
    let listed = settings.tls_certificates.iter();
    let listed: Vec<SdsSecretConfig> = listed
        .filter_map(|files| Some(certificate_files(files.server_certificate?, files.private_key?)))
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    match (settings.server_certificate, settings.private_key) {
        (Some(certificate), Some(key)) => vec![certificate_files(certificate, key)],
        _ => Vec::new(),
    }
}

fn certificate_files(certificate: Text<'_>, key: Text<'_>) -> SdsSecretConfig {
    SdsSecretConfig::files(format!("file-cert:{}~{}", certificate.as_str(), key.as_str()))
}

/// Where the certificates come from that client certificates are checked with.
fn authorities(settings: &ServerTlsSettings<'_>) -> Option<SdsSecretConfig> {
    if is_istio_mutual(settings) {
        return Some(SdsSecretConfig::agent("ROOTCA"));
    }
    if let Some(credential) = credentials(settings).next() {
        let own = settings.ca_cert_credential_name.as_ref().map(Text::as_str);
        let own = own.filter(|name| !name.is_empty());
        return Some(SdsSecretConfig::credential_authorities(own.unwrap_or(credential)));
    }
    let file = settings.ca_certificates.filter(|file| !file.is_empty())?;
    Some(SdsSecretConfig::files(format!("file-root:{}", file.as_str())))
}

fn validation(settings: &ServerTlsSettings<'_>) -> CertificateValidationContext {
    let texts = |list: &[Text<'_>]| list.iter().map(|text| Str::new(text.as_str())).collect();
    let names = settings.subject_alt_names.iter();
    let list = settings
        .ca_crl
        .filter(|file| !file.is_empty() && credentials(settings).next().is_none());
    CertificateValidationContext {
        crl: list.map(|file| Json::new(serde_json::json!({"filename": file.as_str()}))),
        match_subject_alt_names: names.map(|name| StringMatcher::exact(name.as_str())).collect(),
        verify_certificate_hash: texts(&settings.verify_certificate_hash),
        verify_certificate_spki: texts(&settings.verify_certificate_spki),
        ..CertificateValidationContext::default()
    }
}

/// Versions, ciphers and curves: those of the server, else those of the mesh's `tlsDefaults`.
fn parameters(settings: &ServerTlsSettings<'_>, environment: &Environment<'_, '_>) -> Option<TlsParameters> {
    let defaults = environment.config.tls_defaults.as_deref();
    let own_ciphers = Some(settings.cipher_suites.as_slice()).filter(|suites| !suites.is_empty());
    let ciphers = own_ciphers.or(defaults.map(|defaults| defaults.cipher_suites.as_slice()));
    let own_curves = Some(settings.ecdh_curves.as_slice()).filter(|curves| !curves.is_empty());
    let curves = own_curves.or(defaults.map(|defaults| defaults.ecdh_curves.as_slice()));
    let curves = curves.unwrap_or_default().iter();
    let minimum = version(settings.min_protocol_version.as_ref());
    let parameters = TlsParameters {
        cipher_suites: known_ciphers(ciphers.unwrap_or_default()),
        ecdh_curves: curves.map(|curve| Str::new(curve.as_str())).collect(),
        tls_maximum_protocol_version: version(settings.max_protocol_version.as_ref()),
        tls_minimum_protocol_version: if minimum.is_empty() {
            version(defaults.and_then(|defaults| defaults.min_protocol_version.as_ref()))
        } else {
            minimum
        },
    };
    (parameters != TlsParameters::default()).then_some(parameters)
}

/// The parameters of the mesh's `tlsDefaults`, for servers that say nothing of their own.
pub fn mesh_parameters(environment: &Environment<'_, '_>) -> Option<TlsParameters> {
    parameters(&ServerTlsSettings::default(), environment)
}

/// Suites that istiod knows, each once.
fn known_ciphers(suites: &[Text<'_>]) -> Vec<Str> {
    let mut known: Vec<Str> = Vec::new();
    for suite in suites.iter().map(Text::as_str) {
        if CIPHER_SUITES.contains(&suite) && !known.iter().any(|other| other == suite) {
            known.push(Str::new(suite));
        }
    }
    known
}

/// A version as Envoy writes it; empty where the choice is Envoy's.
fn version(text: Option<&Text<'_>>) -> &'static str {
    match text.map_or("", |text| text.as_str()) {
        "TLSV1_0" => "TLSv1_0",
        "TLSV1_1" => "TLSv1_1",
        "TLSV1_2" => "TLSv1_2",
        "TLSV1_3" => "TLSv1_3",
        _ => "",
    }
}
