//! TLS towards the endpoints of a cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::Destination;
use crate::envoy::World;
use crate::envoy::destinations::BackendTls;
use crate::envoy::environment::Environment;
use crate::envoy::fixed;
use crate::envoy::message::{
    CertificateValidationContext, Cluster, CombinedValidationContext, CommonTlsContext, Json, RawBuffer,
    SdsSecretConfig, Str, StringMatcher, TlsParameters, TransportConfig, TransportSocket, TransportSocketMatch,
    UpstreamTlsContext, Wrapped,
};
use crate::envoy::pods::{PodGroup, Role};
use crate::model::Text;
use crate::model::istio::{ClientTlsSettings, ProxyProtocol};

/// TLS and the PROXY header of a cluster, as its policy and auto mTLS have it.
pub(super) fn apply_transport<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    cluster: &mut Cluster,
    destination: &Destination<'_, 'm, 'a>,
) {
    let backend = destination
        .rule
        .and_then(|rule| rule.backend_tls(destination.port().number));
    match (backend, destination.policy.tls) {
        (Some(tls), _) => {
            let socket = Origination::of_backend(tls).socket(&world.environment, cluster);
            cluster.transport_socket = Some(socket);
        }
        (None, Some(tls)) => apply_settings(world, proxy, cluster, destination, tls),
        (None, None) if destination.speaks_mtls(world) => {
            let socket = istio_mutual(cluster, destination.identities(), destination.sni());
            apply_detected(cluster, socket);
        }
        (None, None) => {}
    }
    if world.environment.ambient() {
        apply_tunnel(cluster);
    }
    if let Some(protocol) = destination.policy.proxy_protocol {
        apply_proxy_protocol(cluster, protocol);
    }
}

/// Auto mTLS: the endpoints say whether they speak it. Where the application chooses the address, all of them do.
fn apply_detected(cluster: &mut Cluster, socket: TransportSocket) {
    if cluster.r#type == "ORIGINAL_DST" {
        cluster.transport_socket = Some(socket);
        return;
    }
    cluster.transport_socket_matches = vec![
        TransportSocketMatch {
            name: "tlsMode-istio",
            r#match: Some(BTreeMap::from([("tlsMode", "istio")])),
            transport_socket: socket,
        },
        TransportSocketMatch {
            name: "tlsMode-disabled",
            r#match: Some(BTreeMap::new()),
            transport_socket: TransportSocket::raw(),
        },
    ];
}

fn apply_settings<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    cluster: &mut Cluster,
    destination: &Destination<'_, 'm, 'a>,
    tls: &ClientTlsSettings<'a>,
) {
    let socket = match tls.mode.map_or("DISABLE", |mode| mode.as_str()) {
        "ISTIO_MUTUAL" => {
            let names = if tls.subject_alt_names.is_empty() {
                destination.identities()
            } else {
                texts(&tls.subject_alt_names)
            };
            let sni = given(tls.sni).map_or_else(|| destination.sni(), Str::new);
            Some(istio_mutual(cluster, names, sni))
        }
        "SIMPLE" | "MUTUAL" => {
            let by_rule = destination.rule.is_some_and(|rule| rule.selector.is_some());
            let is_trusted = by_rule || proxy.role != Some(Role::Sidecar);
            let origination = Origination::of(tls, destination.accepted_names(), is_trusted);
            origination.map(|origination| origination.socket(&world.environment, cluster))
        }
        _ => None,
    };
    cluster.transport_socket = socket;
}

fn given(text: Option<Text<'_>>) -> Option<&str> {
    text.map(|text| text.as_str()).filter(|text| !text.is_empty())
}

fn texts(texts: &[Text<'_>]) -> Vec<Str> {
    texts.iter().map(|text| Str::new(text.as_str())).collect()
}

fn matchers(names: impl IntoIterator<Item = Str>) -> Vec<StringMatcher> {
    names.into_iter().map(StringMatcher::exact).collect()
}

/// The versions that a client speaks.
fn parameters() -> TlsParameters {
    TlsParameters {
        tls_maximum_protocol_version: "TLSv1_3",
        tls_minimum_protocol_version: "TLSv1_2",
        ..TlsParameters::default()
    }
}

/// mTLS with the certificates of the mesh.
fn istio_mutual(cluster: &Cluster, names: Vec<Str>, sni: Str) -> TransportSocket {
    let http2 = cluster.is_http2().then_some("h2");
    let alpn = ["istio-peer-exchange", "istio"].into_iter().chain(http2);
    TransportSocket::upstream(UpstreamTlsContext {
        common_tls_context: CommonTlsContext {
            alpn_protocols: alpn.map(Str::new_static).collect(),
            combined_validation_context: Some(CombinedValidationContext {
                default_validation_context: CertificateValidationContext {
                    match_subject_alt_names: matchers(names),
                    ..CertificateValidationContext::default()
                },
                validation_context_sds_secret_config: SdsSecretConfig::agent(Str::new_static("ROOTCA")),
            }),
            tls_certificate_sds_secret_configs: vec![SdsSecretConfig::agent(Str::new_static("default"))],
            tls_params: Some(parameters()),
            validation_context: None,
        },
        sni,
    })
}

/// TLS that does not end at a proxy of the mesh: `SIMPLE` or `MUTUAL`.
#[derive(Debug)]
struct Origination {
    sni: Option<Str>,
    /// Names of which the server's certificate must have one, as they are asked for.
    names: Vec<Str>,
    /// Those that hold where none is asked for.
    accepted: Vec<Str>,
    certificate: Option<SdsSecretConfig>,
    authorities: SdsSecretConfig,
    revoked: Option<Json>,
    checks_server: bool,
}

impl Origination {
    /// What a rule describes; `None` where istiod refuses it, so that the cluster speaks plain text (catalogue: TLS, 40).
    /// A sidecar may have secrets of the cluster only if the rule is for it alone.
    fn of(tls: &ClientTlsSettings<'_>, accepted: Vec<Str>, is_trusted: bool) -> Option<Self> {
        let credential = given(tls.credential_name);
        if credential.is_some_and(|name| !is_trusted && !name.starts_with("configmap://")) {
            return None;
        }
        let is_mutual = tls.mode.is_some_and(|mode| mode.as_str() == "MUTUAL");
        let certificate = match credential {
            _ if !is_mutual => None,
            Some(name) => Some(SdsSecretConfig::credential(name)),
            None => {
                let (certificate, key) = (given(tls.client_certificate)?, given(tls.private_key)?);
                Some(SdsSecretConfig::files(format!("file-cert:{certificate}~{key}")))
            }
        };
        Some(Self {
            sni: given(tls.sni).map(Str::new),
            names: texts(&tls.subject_alt_names),
            accepted,
            certificate,
            authorities: match (credential, given(tls.ca_certificates)) {
                (Some(name), _) => SdsSecretConfig::credential_authorities(name),
                (None, Some(file)) => SdsSecretConfig::files(format!("file-root:{file}")),
                (None, None) => system_authorities(),
            },
            revoked: given(tls.ca_crl).map(|file| Arc::new(json!({"filename": file}))),
            checks_server: tls.insecure_skip_verify.is_none_or(|skips| !skips.value),
        })
    }

    /// What is asked for by other means than a rule.
    fn of_backend(tls: &BackendTls) -> Self {
        Self {
            sni: Some(tls.sni.clone()).filter(|sni| !sni.is_empty()),
            names: tls.subject_alt_names.clone(),
            accepted: Vec::new(),
            certificate: None,
            authorities: if tls.authorities.is_empty() {
                system_authorities()
            } else {
                SdsSecretConfig::credential_authorities(&tls.authorities)
            },
            revoked: None,
            checks_server: true,
        }
    }

    /// The socket. Without an SNI the host of each request is taken, and must stand in the certificate where no name is
    /// asked for.
    fn socket(self, environment: &Environment<'_, '_>, cluster: &mut Cluster) -> TransportSocket {
        if self.sni.is_none() {
            let upstream = cluster.http().upstream_http_protocol_options.get_or_insert_default();
            upstream.auto_sni = true;
            upstream.auto_san_validation = self.names.is_empty() && self.checks_server;
        }
        let mut context = CommonTlsContext {
            alpn_protocols: cluster.is_http2().then(|| Str::new_static("h2")).into_iter().collect(),
            tls_certificate_sds_secret_configs: self.certificate.into_iter().collect(),
            tls_params: Some(chosen_parameters(environment)),
            ..CommonTlsContext::default()
        };
        if self.checks_server {
            let names = if self.names.is_empty() {
                self.accepted
            } else {
                self.names
            };
            context.combined_validation_context = Some(CombinedValidationContext {
                default_validation_context: CertificateValidationContext {
                    crl: self.revoked,
                    match_subject_alt_names: matchers(names),
                    ..CertificateValidationContext::default()
                },
                validation_context_sds_secret_config: self.authorities,
            });
        } else {
            context.validation_context = Some(CertificateValidationContext::default());
        }
        TransportSocket::upstream(UpstreamTlsContext {
            common_tls_context: context,
            sni: self.sni.unwrap_or_default(),
        })
    }
}

fn system_authorities() -> SdsSecretConfig {
    SdsSecretConfig::files(Str::new_static("file-root:system"))
}

/// The versions that a client speaks, and what `tlsDefaults` of the mesh chooses.
fn chosen_parameters(environment: &Environment<'_, '_>) -> TlsParameters {
    let defaults = environment.config.tls_defaults.as_deref();
    TlsParameters {
        cipher_suites: defaults
            .map(|defaults| texts(&defaults.cipher_suites))
            .unwrap_or_default(),
        ecdh_curves: defaults
            .map(|defaults| texts(&defaults.ecdh_curves))
            .unwrap_or_default(),
        ..parameters()
    }
}

/// TLS of the cluster for hosts that nothing in the mesh defines.
pub(super) fn apply_to_any_host(environment: &Environment<'_, '_>, cluster: &mut Cluster, tls: &ClientTlsSettings<'_>) {
    let originates = tls
        .mode
        .is_some_and(|mode| matches!(mode.as_str(), "SIMPLE" | "MUTUAL"));
    let origination = Origination::of(tls, Vec::new(), false).filter(|_| originates);
    cluster.transport_socket = origination.map(|origination| origination.socket(environment, cluster));
}

/// Endpoints that take HBONE come before all others (catalogue: ambient, 69).
fn apply_tunnel(cluster: &mut Cluster) {
    if cluster.r#type == "ORIGINAL_DST" {
        return;
    }
    let tunnel = TransportSocketMatch {
        name: "hbone",
        r#match: Some(BTreeMap::from([("tunnel", "http")])),
        transport_socket: tunnel_socket(),
    };
    if cluster.transport_socket_matches.is_empty() {
        let socket = cluster.transport_socket.take().unwrap_or_else(TransportSocket::raw);
        cluster.transport_socket_matches.push(TransportSocketMatch {
            name: "tlsMode-disabled",
            r#match: Some(BTreeMap::new()),
            transport_socket: socket,
        });
    }
    cluster.transport_socket_matches.insert(0, tunnel);
}

/// A connection inside the process, to the listener that opens the tunnel.
fn tunnel_socket() -> TransportSocket {
    TransportSocket {
        name: Str::new_static("envoy.transport_sockets.internal_upstream"),
        typed_config: Some(TransportConfig::Internal(Box::new(Wrapped {
            config: None,
            transport_socket: Some(Box::new(TransportSocket::raw())),
            passthrough_metadata: vec![
                fixed::TUNNEL_DESTINATION.clone(),
                fixed::TUNNEL_CLUSTER_METADATA.clone(),
                fixed::TUNNEL_HOST_METADATA.clone(),
            ],
        }))),
    }
}

fn apply_proxy_protocol(cluster: &mut Cluster, protocol: &ProxyProtocol<'_>) {
    let config = match protocol.version.map_or("V1", |version| version.as_str()) {
        "V2" => json!({"version": "V2"}),
        _ => json!({}),
    };
    let config = Arc::new(config);
    let wrap = |socket: TransportSocket| TransportSocket {
        name: Str::new_static("envoy.transport_sockets.upstream_proxy_protocol"),
        typed_config: Some(TransportConfig::ProxyProtocol(Box::new(Wrapped {
            config: Some(config.clone()),
            transport_socket: Some(Box::new(socket)),
            passthrough_metadata: Vec::new(),
        }))),
    };
    if cluster.transport_socket_matches.is_empty() {
        let plain = || TransportSocket {
            name: Str::new_static("raw_buffer"),
            typed_config: Some(TransportConfig::Raw(RawBuffer {})),
        };
        cluster.transport_socket = Some(wrap(cluster.transport_socket.take().unwrap_or_else(plain)));
    }
    for candidate in &mut cluster.transport_socket_matches {
        candidate.transport_socket = wrap(std::mem::take(&mut candidate.transport_socket));
    }
}
