//! What `defaultConfig` of the mesh and the annotation `proxy.istio.io/config` of a pod say of its proxy.
//!
//! A field of the annotation replaces the same field of the mesh as a whole, however deep it is (catalogue: gateways, 20).
//! ProxyConfig resources only change how a pod is injected (catalogue: policies, 53).

use super::World;
use super::message::Str;
use super::pods::PodGroup;
use crate::model::mesh_config::{CustomTag, ProxyConfig, ProxyHeaders, Topology, Tracing};
use crate::model::{Fields, Spanned, Text};
use crate::source::{Interner, SourceFile, Words};
use crate::yaml;

/// The settings of one proxy.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxySettings {
    /// `proxyHeaders`
    pub headers: Headers,
    /// `gatewayTopology`
    pub topology: GatewayTopology,
    /// `tracing`
    pub tracing: TracingSettings,
    /// `meshId`
    pub mesh_id: Option<Str>,
}

/// Headers that a proxy adds or passes.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "switches of the API")]
pub struct Headers {
    /// What becomes of `x-forwarded-client-cert` in Envoy's words, `APPEND_FORWARD` and so on.
    pub forwarded_client_cert: Option<&'static str>,
    /// The value of `server`; `None` leaves the application's.
    pub server: Option<Server>,
    /// Whether requests without an identifier get one.
    pub request_id: bool,
    /// Whether requests count their attempts.
    pub attempt_count: bool,
    /// Whether Envoy adds headers of its own for debugging.
    pub debug_headers: bool,
    /// Whether HTTP/1.1 keeps the case of header names.
    pub preserve_case: bool,
    /// Whether metadata are only exchanged inside of the mesh.
    pub metadata_in_mesh_only: bool,
    /// Whether `x-forwarded-host` is added.
    pub forwarded_host: bool,
    /// Whether `x-forwarded-port` is added.
    pub forwarded_port: bool,
    /// Which parts of the client's certificate are told, where they are set.
    pub client_cert_details: Option<ClientCertDetails>,
}

/// The header `server`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Server {
    /// Istio's own value.
    Default,
    /// A given value.
    Value(Str),
}

/// Parts of a client's certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "switches of the API")]
pub struct ClientCertDetails {
    /// The subject.
    pub subject: bool,
    /// The certificate.
    pub cert: bool,
    /// The chain.
    pub chain: bool,
    /// The DNS names.
    pub dns: bool,
    /// The URIs.
    pub uri: bool,
}

/// What stands before a gateway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GatewayTopology {
    /// How many proxies add to `x-forwarded-for`.
    pub trusted_proxies: u32,
    /// What becomes of `x-forwarded-client-cert`, in Envoy's words.
    pub forward_client_cert: Option<&'static str>,
    /// Whether connections begin with a PROXY header.
    pub proxy_protocol: bool,
}

/// Tracing by the proxy's settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TracingSettings {
    /// Percent of requests that begin a trace.
    pub sampling: Option<f64>,
    /// The longest path that is told.
    pub max_path_tag_length: Option<u32>,
    /// Tags besides Istio's own, by name.
    pub custom_tags: Vec<(Str, Tag)>,
    /// Whether Istio adds its own tags.
    pub istio_tags: bool,
}

/// The value of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A text.
    Literal(Str),
    /// A variable of the proxy's environment, and a default.
    Environment(Str, Str),
    /// A header of the request, and a default.
    Header(Str, Str),
    /// A format of access logs.
    Format(Str),
}

impl ProxySettings {
    /// The settings of a proxy.
    pub fn of(world: &World<'_, '_>, proxy: &PodGroup<'_, '_>) -> Self {
        let empty = ProxyConfig::default();
        let mesh = world.environment.config.default_config.as_deref().unwrap_or(&empty);
        let words = Words::default();
        let annotation = proxy
            .template
            .and_then(|template| template.annotation("proxy.istio.io/config"));
        match annotation {
            Some(text) => Self::merge(&parse(text.as_str(), &words), mesh),
            None => Self::merge(&empty, mesh),
        }
    }

    fn merge(own: &ProxyConfig<'_>, mesh: &ProxyConfig<'_>) -> Self {
        let headers = own.proxy_headers.as_deref().or(mesh.proxy_headers.as_deref());
        let topology = own.gateway_topology.as_deref().or(mesh.gateway_topology.as_deref());
        let tracing = own.tracing.as_deref().or(mesh.tracing.as_deref());
        Self {
            headers: headers.map_or_else(|| Headers::of(&ProxyHeaders::default()), Headers::of),
            topology: topology.map(GatewayTopology::of).unwrap_or_default(),
            tracing: TracingSettings::of(tracing),
            mesh_id: own.mesh_id.or(mesh.mesh_id).map(|id| Str::new(id.as_str())),
        }
    }
}

fn parse<'a>(text: &str, words: &'a Words) -> ProxyConfig<'a> {
    let file = SourceFile::new("proxy.istio.io/config".into(), text.as_bytes().to_vec(), true, 0);
    let documents = yaml::parse(&file);
    let root = documents.iter().find_map(|document| document.tree.root());
    root.map(|root| ProxyConfig::decode(Fields::new(root, &Interner::new(words))))
        .unwrap_or_default()
}

impl Headers {
    fn of(headers: &ProxyHeaders<'_>) -> Self {
        let is = |flag: Option<Spanned<bool>>| flag.is_some_and(|flag| flag.value);
        let server = headers.server.as_deref();
        Self {
            forwarded_client_cert: headers
                .forwarded_client_cert
                .and_then(|action| client_cert_action(action.as_str())),
            server: match server {
                Some(server) if is(server.disabled) => None,
                Some(server) => Some(
                    server
                        .value
                        .filter(|value| !value.is_empty())
                        .map_or(Server::Default, |value| Server::Value(Str::new(value.as_str()))),
                ),
                None => Some(Server::Default),
            },
            request_id: !(headers.request_id.as_deref()).is_some_and(|header| is(header.disabled)),
            attempt_count: !(headers.attempt_count.as_deref()).is_some_and(|header| is(header.disabled)),
            debug_headers: !(headers.envoy_debug_headers.as_deref()).is_some_and(|header| is(header.disabled)),
            preserve_case: is(headers.preserve_http1_header_case),
            metadata_in_mesh_only: (headers.metadata_exchange_headers.as_deref())
                .and_then(|exchange| exchange.mode)
                .is_some_and(|mode| mode.as_str() == "IN_MESH"),
            forwarded_host: (headers.x_forwarded_host.as_deref()).is_some_and(|header| is(header.enabled)),
            forwarded_port: (headers.x_forwarded_port.as_deref()).is_some_and(|header| is(header.enabled)),
            client_cert_details: (headers.set_current_client_cert_details.as_deref()).map(|details| {
                ClientCertDetails {
                    subject: details.subject.is_none_or(|flag| flag.value),
                    cert: is(details.cert),
                    chain: is(details.chain),
                    dns: details.dns.is_none_or(|flag| flag.value),
                    uri: details.uri.is_none_or(|flag| flag.value),
                }
            }),
        }
    }
}

/// The name that Envoy gives an action on `x-forwarded-client-cert`; `None` where it is left open.
fn client_cert_action(name: &str) -> Option<&'static str> {
    let known = [
        "SANITIZE",
        "FORWARD_ONLY",
        "APPEND_FORWARD",
        "SANITIZE_SET",
        "ALWAYS_FORWARD_ONLY",
    ];
    known.into_iter().find(|known| *known == name)
}

impl GatewayTopology {
    fn of(topology: &Topology<'_>) -> Self {
        let trusted = topology
            .num_trusted_proxies
            .and_then(|number| u32::try_from(number.value).ok());
        let action = topology.forward_client_cert_details;
        Self {
            trusted_proxies: trusted.unwrap_or(0),
            forward_client_cert: action.and_then(|action| client_cert_action(action.as_str())),
            proxy_protocol: topology.proxy_protocol.is_some(),
        }
    }
}

impl TracingSettings {
    fn of(tracing: Option<&Tracing<'_>>) -> Self {
        let Some(tracing) = tracing else {
            return Self {
                istio_tags: true,
                ..Self::default()
            };
        };
        let length = tracing
            .max_path_tag_length
            .and_then(|length| u32::try_from(length.value).ok());
        let tags = tracing.custom_tags.iter();
        Self {
            sampling: tracing
                .sampling
                .map(|sampling| sampling.value)
                .filter(|sampling| *sampling != 0.0),
            max_path_tag_length: length.filter(|length| *length != 0),
            custom_tags: tags
                .filter_map(|(name, tag)| Some((Str::new(name.as_str()), Tag::of(tag)?)))
                .collect(),
            istio_tags: tracing.enable_istio_tags.is_none_or(|enabled| enabled.value),
        }
    }
}

impl Tag {
    fn of(tag: &CustomTag<'_>) -> Option<Self> {
        let text = |text: Option<Text<'_>>| text.map_or(Str::default(), |text| Str::new(text.as_str()));
        if let Some(literal) = &tag.literal {
            Some(Self::Literal(text(literal.value)))
        } else if let Some(variable) = &tag.environment {
            Some(Self::Environment(text(variable.name), text(variable.default_value)))
        } else {
            let header = tag.header.as_ref()?;
            Some(Self::Header(text(header.name), text(header.default_value)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(own: &str, mesh: &str) -> ProxySettings {
        let words = Words::default();
        ProxySettings::merge(&parse(own, &words), &parse(mesh, &words))
    }

    #[test]
    fn a_field_of_the_annotation_replaces_that_of_the_mesh() {
        let mesh = "gatewayTopology: {numTrustedProxies: 1, forwardClientCertDetails: FORWARD_ONLY}\n\
                    proxyHeaders: {server: {value: oven}, requestId: {disabled: true}}";
        let settings = merged("gatewayTopology: {numTrustedProxies: 2}", mesh);
        assert_eq!(
            settings.topology,
            GatewayTopology {
                trusted_proxies: 2,
                ..GatewayTopology::default()
            }
        );
        assert_eq!(settings.headers.server, Some(Server::Value(Str::new_static("oven"))));
        assert!(!settings.headers.request_id && settings.headers.attempt_count);
        let settings = merged("proxyHeaders: {server: {disabled: true}}", mesh);
        assert_eq!((settings.headers.server, settings.headers.request_id), (None, true));
    }

    #[test]
    fn no_setting_means_istio_s_own() {
        let settings = merged(": not yaml [", "");
        assert_eq!(settings.headers, Headers::of(&ProxyHeaders::default()));
        assert_eq!(settings.headers.server, Some(Server::Default));
        assert!(settings.tracing.istio_tags && settings.tracing.sampling.is_none());
    }
}
