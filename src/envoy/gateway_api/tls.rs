//! The TLS of listeners: certificates from Secrets, and what is asked of clients.

use rustc_hash::FxHashMap;

use super::grants::{Grants, Reference};
use super::listeners::Parent;
use crate::envoy::environment::Environment;
use crate::envoy::gateways::model::ServerTls;
use crate::envoy::gateways::tls::mesh_parameters;
use crate::envoy::message::{
    CertificateValidationContext, CombinedValidationContext, CommonTlsContext, DownstreamTlsContext, SdsSecretConfig,
    Str,
};
use crate::mesh::Mesh;
use crate::model::gateway_api::{FrontendTlsValidation, ListenerTlsConfig, SecretObjectReference};
use crate::model::kubernetes::Secret;
use crate::model::{Header, Slot, Text};

/// The option that says how TLS ends at a listener, beyond what the API knows.
const TERMINATE_MODE: &str = "gateway.istio.io/tls-terminate-mode";
/// The option that passes TLS on to the cluster that its SNI names.
const LISTENER_PROTOCOL: &str = "gateway.istio.io/listener-protocol";

/// The Secrets and who may refer to them.
#[derive(Debug)]
pub struct Certificates<'g, 'm, 'a> {
    mesh: &'m Mesh<'a>,
    grants: &'g Grants<'m>,
    secrets: FxHashMap<(&'m str, &'m str), &'m Secret<'a>>,
}

impl<'g, 'm, 'a> Certificates<'g, 'm, 'a> {
    /// Indexes the Secrets.
    pub fn new(mesh: &'m Mesh<'a>, grants: &'g Grants<'m>) -> Self {
        let secrets = mesh.all::<Secret<'a>>().map(|secret| {
            let header = secret.header;
            ((header.namespace.as_str(), header.name.as_str()), secret.body)
        });
        Self {
            mesh,
            grants,
            secrets: secrets.collect(),
        }
    }

    /// What a listener does with TLS; `None` where it has no usable certificate and is not listened on.
    pub fn server_tls(&self, parent: &Parent<'_, '_>, environment: &Environment<'_, '_>) -> Option<ServerTls> {
        if !matches!(parent.protocol(), "HTTPS" | "TLS") {
            return Some(ServerTls::None);
        }
        let tls = parent.listener.tls.as_deref();
        let option = |key: &str| tls.and_then(|tls| tls.options.get(key)).map_or("", Text::as_str);
        if tls
            .and_then(|tls| tls.mode)
            .is_some_and(|mode| mode.as_str() == "Passthrough")
        {
            let automatic = option(LISTENER_PROTOCOL) == "auto-passthrough" || is_between_networks(parent);
            return Some(if automatic {
                ServerTls::AutoPassthrough
            } else {
                ServerTls::Passthrough
            });
        }
        if option(TERMINATE_MODE) == "ISTIO_MUTUAL" {
            return Some(ServerTls::IstioMutual(Box::new(istio_mutual(environment))));
        }
        let certificates = self.certificates(parent.gateway.header, tls?)?;
        let validation = match option(TERMINATE_MODE) {
            "MUTUAL" => Validation::Required(Str::from(format!("{}-cacert", certificates.first()?))),
            _ => self.frontend_validation(parent)?,
        };
        Some(ServerTls::Terminate(Box::new(terminate(
            certificates,
            &validation,
            environment,
        ))))
    }

    /// The names of the certificates, if all of them can be had.
    fn certificates(&self, gateway: &Header<'a>, tls: &ListenerTlsConfig<'a>) -> Option<Vec<Str>> {
        let names: Option<Vec<Str>> = (tls.certificate_refs.iter())
            .map(|reference| self.certificate(gateway, reference))
            .collect();
        names.filter(|names| !names.is_empty())
    }

    fn certificate(&self, gateway: &Header<'a>, reference: &SecretObjectReference<'a>) -> Option<Str> {
        let is_secret = reference.group.is_none_or(|group| group.is_empty())
            && reference.kind.is_none_or(|kind| kind.as_str() == "Secret");
        let (own, name) = (gateway.namespace.as_str(), reference.name?.as_str());
        let namespace = reference.namespace.map_or(own, |namespace| namespace.as_str());
        let usable =
            is_secret && self.may_have(own, "Secret", namespace, name) && self.is_pair(gateway, namespace, name);
        usable.then(|| Str::from(format!("kubernetes-gateway://{namespace}/{name}")))
    }

    fn may_have(&self, own: &str, kind: &str, namespace: &str, name: &str) -> bool {
        let reference = Reference {
            from_kind: "Gateway",
            from_namespace: own,
            group: "",
            kind,
            namespace,
        };
        self.grants.admit(&reference, name)
    }

    /// Whether a Secret holds a certificate and its key. One that the input cannot know is taken to.
    fn is_pair(&self, gateway: &Header<'a>, namespace: &str, name: &str) -> bool {
        let Some(secret) = self.secrets.get(&(namespace, name)) else {
            return !self.mesh.owns(Slot::Secret, namespace, gateway);
        };
        let has = |key: &str| (secret.data.iter().chain(&secret.string_data)).any(|written| written.as_str() == key);
        has("tls.crt") && has("tls.key") || has("cert") && has("key")
    }

    /// How client certificates are checked; `None` where the authorities may not be referred to.
    fn frontend_validation(&self, parent: &Parent<'_, '_>) -> Option<Validation> {
        let Some(validation) = written_validation(parent) else {
            return Some(Validation::None);
        };
        let reference = validation.ca_certificate_refs.first()?;
        let own = parent.gateway.header.namespace.as_str();
        let kind = reference.kind.map_or("ConfigMap", |kind| kind.as_str());
        let namespace = reference.namespace.map_or(own, |namespace| namespace.as_str());
        let name = reference.name?.as_str();
        let scheme = match kind {
            "ConfigMap" => "configmap",
            "Secret" => "kubernetes-gateway",
            _ => return None,
        };
        let secret = Str::from(format!("{scheme}://{namespace}/{name}-cacert"));
        let lenient = validation
            .mode
            .is_some_and(|mode| mode.as_str() == "AllowInsecureFallback");
        let checked = if lenient {
            Validation::Lenient(secret)
        } else {
            Validation::Required(secret)
        };
        self.may_have(own, kind, namespace, name).then_some(checked)
    }
}

/// How client certificates are checked.
enum Validation {
    /// None is asked for.
    None,
    /// One is needed that the authorities of this secret signed.
    Required(Str),
    /// One is asked for, and whatever comes is let through.
    Lenient(Str),
}

/// What the Gateway says of client certificates at the port of a listener; what it says of the port comes first.
fn written_validation<'p>(parent: &'p Parent<'_, '_>) -> Option<&'p FrontendTlsValidation<'p>> {
    let frontend = parent.gateway.body.tls.as_ref()?.frontend.as_ref()?;
    let is_here = |port: i64| u32::try_from(port) == Ok(parent.port());
    let of_port = (frontend.per_port.iter()).find(|entry| entry.port.is_some_and(|port| is_here(port.value)));
    let config = match of_port {
        Some(entry) => entry.tls.as_deref(),
        None => frontend.default.as_deref(),
    };
    config?.validation.as_deref()
}

/// Whether a listener is the one by which other networks come in: the Gateway names its network, and the port is theirs.
fn is_between_networks(parent: &Parent<'_, '_>) -> bool {
    let labels = &parent.gateway.header.labels;
    let port = labels
        .get("networking.istio.io/gatewayPort")
        .map_or("15443", Text::as_str);
    labels.get("topology.istio.io/network").is_some() && port.parse() == Ok(parent.port())
}

fn istio_mutual(environment: &Environment<'_, '_>) -> DownstreamTlsContext {
    DownstreamTlsContext {
        common_tls_context: CommonTlsContext {
            combined_validation_context: Some(CombinedValidationContext {
                default_validation_context: CertificateValidationContext::default(),
                validation_context_sds_secret_config: SdsSecretConfig::agent("ROOTCA"),
            }),
            tls_certificate_sds_secret_configs: vec![SdsSecretConfig::agent("default")],
            tls_params: mesh_parameters(environment),
            ..CommonTlsContext::default()
        },
        require_client_certificate: Some(true),
    }
}

fn terminate(
    certificates: Vec<Str>,
    validation: &Validation,
    environment: &Environment<'_, '_>,
) -> DownstreamTlsContext {
    let (secret, verification) = match validation {
        Validation::None => (None, ""),
        Validation::Required(secret) => (Some(secret), ""),
        Validation::Lenient(secret) => (Some(secret), "ACCEPT_UNTRUSTED"),
    };
    let combined = secret.map(|secret| CombinedValidationContext {
        default_validation_context: CertificateValidationContext {
            trust_chain_verification: verification,
            ..CertificateValidationContext::default()
        },
        validation_context_sds_secret_config: SdsSecretConfig::istiod(secret.clone()),
    });
    DownstreamTlsContext {
        common_tls_context: CommonTlsContext {
            combined_validation_context: combined,
            tls_certificate_sds_secret_configs: certificates.into_iter().map(SdsSecretConfig::istiod).collect(),
            tls_params: mesh_parameters(environment),
            ..CommonTlsContext::default()
        },
        require_client_certificate: Some(matches!(validation, Validation::Required(_))),
    }
}
