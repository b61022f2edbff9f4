//! Transport sockets.

use serde::Serialize;

use super::{ConfigSource, Json, Str, StringMatcher, message};

message! {
    /// `core.v3.TransportSocket`
    TransportSocket {
        name: Str,
        typed_config: Option<TransportConfig>,
    }
    /// `tls.v3.DownstreamTlsContext`
    DownstreamTlsContext {
        common_tls_context: CommonTlsContext,
        require_client_certificate: Option<bool>,
    }
    /// `tls.v3.UpstreamTlsContext`
    UpstreamTlsContext {
        common_tls_context: CommonTlsContext,
        sni: Str,
    }
    /// `tls.v3.CommonTlsContext`
    CommonTlsContext {
        alpn_protocols: Vec<Str>,
        combined_validation_context: Option<CombinedValidationContext>,
        tls_certificate_sds_secret_configs: Vec<SdsSecretConfig>,
        tls_params: Option<TlsParameters>,
        validation_context: Option<CertificateValidationContext>,
    }
    /// `CommonTlsContext.CombinedCertificateValidationContext`
    CombinedValidationContext {
        default_validation_context: CertificateValidationContext,
        validation_context_sds_secret_config: SdsSecretConfig,
    }
    /// `tls.v3.CertificateValidationContext`
    CertificateValidationContext {
        crl: Option<Json>,
        match_subject_alt_names: Vec<StringMatcher>,
        match_typed_subject_alt_names: Vec<Json>,
        trust_chain_verification: &'static str,
        verify_certificate_hash: Vec<Str>,
        verify_certificate_spki: Vec<Str>,
    }
    /// `tls.v3.SdsSecretConfig`
    SdsSecretConfig {
        name: Str,
        sds_config: Option<ConfigSource>,
    }
    /// `tls.v3.TlsParameters`
    TlsParameters {
        cipher_suites: Vec<Str>,
        ecdh_curves: Vec<Str>,
        tls_maximum_protocol_version: &'static str,
        tls_minimum_protocol_version: &'static str,
    }
    /// A transport socket around another one, whose settings are of no interest here.
    Wrapped {
        config: Option<Json>,
        transport_socket: Option<Box<TransportSocket>>,
        passthrough_metadata: Vec<Json>,
    }
}

/// The configuration of a transport socket.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "@type")]
pub enum TransportConfig {
    /// TLS of a server.
    #[serde(rename = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext")]
    Downstream(Box<DownstreamTlsContext>),
    /// TLS of a client.
    #[serde(rename = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext")]
    Upstream(Box<UpstreamTlsContext>),
    /// A PROXY header before another socket.
    #[serde(
        rename = "type.googleapis.com/envoy.extensions.transport_sockets.proxy_protocol.v3.ProxyProtocolUpstreamTransport"
    )]
    ProxyProtocol(Box<Wrapped>),
    /// A socket inside the process.
    #[serde(
        rename = "type.googleapis.com/envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport"
    )]
    Internal(Box<Wrapped>),
    /// Plain bytes.
    #[serde(rename = "type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer")]
    Raw(RawBuffer),
}

message! {
    /// `raw_buffer.v3.RawBuffer`
    RawBuffer {}
}

impl TransportSocket {
    /// Plain bytes.
    pub fn raw() -> Self {
        Self {
            name: Str::new_static("envoy.transport_sockets.raw_buffer"),
            typed_config: Some(TransportConfig::Raw(RawBuffer {})),
        }
    }

    /// TLS of a server.
    pub fn downstream(context: DownstreamTlsContext) -> Self {
        Self {
            name: Str::new_static("envoy.transport_sockets.tls"),
            typed_config: Some(TransportConfig::Downstream(Box::new(context))),
        }
    }

    /// TLS of a client.
    pub fn upstream(context: UpstreamTlsContext) -> Self {
        Self {
            name: Str::new_static("envoy.transport_sockets.tls"),
            typed_config: Some(TransportConfig::Upstream(Box::new(context))),
        }
    }
}

impl SdsSecretConfig {
    /// A secret of the agent beside the proxy: `default`, `ROOTCA`, or one of files.
    pub fn agent(name: impl Into<Str>) -> Self {
        Self {
            name: name.into(),
            sds_config: Some(ConfigSource {
                api_config_source: Some(crate::envoy::fixed::SDS_GRPC.clone()),
                initial_fetch_timeout: Str::new_static("0s"),
                resource_api_version: Str::new_static("V3"),
                ..ConfigSource::default()
            }),
        }
    }

    /// A secret of files beside the proxy: `file-cert:…`, `file-root:…`.
    pub fn files(name: impl Into<Str>) -> Self {
        let mut config = Self::agent(name);
        if let Some(source) = &mut config.sds_config {
            source.initial_fetch_timeout = Str::default();
        }
        config
    }

    /// A secret that istiod sends: `kubernetes://…`, `configmap://…`.
    pub fn istiod(name: impl Into<Str>) -> Self {
        Self {
            name: name.into(),
            sds_config: Some(ConfigSource {
                initial_fetch_timeout: Str::default(),
                ..ConfigSource::ads()
            }),
        }
    }

    /// The certificate of a credential, `kubernetes://name` unless the name says otherwise.
    pub fn credential(name: &str) -> Self {
        Self::istiod(credential_name(name, ""))
    }

    /// The certificates of authorities that belong to a credential: `kubernetes://name-cacert`.
    pub fn credential_authorities(name: &str) -> Self {
        Self::istiod(credential_name(name, "-cacert"))
    }
}

/// The name of a credential at istiod.
fn credential_name(name: &str, suffix: &str) -> Str {
    if name.contains("://") {
        Str::from(format!("{name}{suffix}"))
    } else {
        Str::from(format!("kubernetes://{name}{suffix}"))
    }
}
