//! Trees in, typed values out.
//!
//! Takes every document and hands on [`Manifests`]: [`Resource`]s with a [`Header`] and a [`Body`] of the kinds that
//! meshes are made of, and what `yaml` and `schema` noticed. A tree lives only while its file is read: the values borrow
//! from the [`Words`](crate::source::Words) of the run, so texts are kept once and files need not be kept. A missing or mistyped value is a hole, never an abort.
//! Knows nothing of how resources relate.

mod fields;
pub mod gateway_api;
pub mod istio;
pub mod kubernetes;
pub mod kustomize;
pub mod mesh_config;
mod read;
mod record;
mod template;
mod value;

pub use fields::Fields;
pub use mesh_config::{MeshConfig, MeshNetworks};
pub use read::{Directive, Manifests, ReadOptions, UnknownKind, definitions, embed, read};
pub use template::{Template, Tool};
pub use value::{Labels, Spanned, Text, Value};

use crate::source::Span;

/// One object of the input.
#[derive(Debug)]
pub struct Resource<'a> {
    /// What every object has.
    pub header: Header<'a>,
    /// What its kind holds.
    pub body: Body<'a>,
}

/// Kind, name and metadata of an object.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Header<'a> {
    /// The object's own bytes; of an item of a `List`, those of the item.
    pub span: Span,
    /// `apiVersion`.
    pub api_version: Text<'a>,
    /// `kind`.
    pub kind: Text<'a>,
    /// `metadata.name`; empty, with the span of the kind, where it is missing.
    pub name: Text<'a>,
    /// The namespace it lives in: as written, as its kustomization sets it, or the run's default. Empty for kinds that
    /// live in none. Where it is not written, the span is that of the kind.
    pub namespace: Text<'a>,
    /// Whether the namespace is known: not where several kustomizations put it into different ones.
    pub namespace_known: bool,
    /// Whether the namespace is written: in the resource, in its kustomization, or on the command line. One that is only
    /// assumed may be any other when the resource is applied.
    pub namespace_written: bool,
    /// Whether a kustomization that applies it has patches, which may add and change what is written.
    pub patched: bool,
    /// Whether a kustomization that applies it gives it another name.
    pub renamed: bool,
    /// `metadata.labels`.
    pub labels: Labels<'a>,
    /// `metadata.annotations`.
    pub annotations: Labels<'a>,
    /// `metadata.creationTimestamp`.
    pub created: Option<Text<'a>>,
    /// The cluster, as an index into [`Sources::clusters`](crate::source::Sources::clusters).
    pub cluster: u16,
}

impl<'a> Header<'a> {
    /// `namespace/name`, or the name alone for kinds that live in no namespace.
    pub fn full_name(&self) -> String {
        if self.namespace.is_empty() {
            self.name.to_string()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }

    /// The API group.
    pub fn group(&self) -> &'a str {
        crate::schema::group(self.api_version.as_str())
    }
}

macro_rules! bodies {
    ($($(#[$meta:meta])* $variant:ident($type:ty);)*) => {
        /// What a resource holds, by kind.
        #[derive(Debug)]
        pub enum Body<'a> {
            $($(#[$meta])* $variant(Box<$type>),)*
            /// A kind that meshlint does not read.
            Other,
            /// A document whose text is broken; what could be read of its header is there.
            Unreadable,
        }

        /// The kinds of bodies, for lists by kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Slot {
            $(
                #[allow(missing_docs)]
                $variant,
            )*
            /// A kind that meshlint does not read.
            Other,
            /// A document whose text is broken.
            Unreadable,
        }

        impl Body<'_> {
            /// Which kind of body it is.
            pub fn slot(&self) -> Slot {
                match self {
                    $(Body::$variant(_) => Slot::$variant,)*
                    Body::Other => Slot::Other,
                    Body::Unreadable => Slot::Unreadable,
                }
            }
        }

        impl Slot {
            /// How many there are.
            pub const COUNT: usize = Slot::Unreadable as usize + 1;
        }

        $(impl<'a> Typed<'a> for $type {
            const SLOT: Slot = Slot::$variant;

            fn of<'r>(body: &'r Body<'a>) -> Option<&'r Self> {
                match body {
                    Body::$variant(value) => Some(value),
                    _ => None,
                }
            }
        })*
    };
}

/// A type that a [`Body`] can hold.
pub trait Typed<'a>: Sized {
    /// The kind of body.
    const SLOT: Slot;

    /// The value of a body of this kind.
    fn of<'r>(body: &'r Body<'a>) -> Option<&'r Self>;
}

bodies! {
    /// `networking.istio.io`
    VirtualService(istio::VirtualService<'a>);
    /// `networking.istio.io`
    DestinationRule(istio::DestinationRule<'a>);
    /// `networking.istio.io`
    Gateway(istio::Gateway<'a>);
    /// `networking.istio.io`
    ServiceEntry(istio::ServiceEntry<'a>);
    /// `networking.istio.io`
    Sidecar(istio::Sidecar<'a>);
    /// `networking.istio.io`
    WorkloadEntry(istio::WorkloadEntry<'a>);
    /// `networking.istio.io`
    WorkloadGroup(istio::WorkloadGroup<'a>);
    /// `networking.istio.io`
    EnvoyFilter(istio::EnvoyFilter<'a>);
    /// `networking.istio.io`
    ProxyConfig(istio::ProxyConfig<'a>);
    /// `security.istio.io`
    PeerAuthentication(istio::PeerAuthentication<'a>);
    /// `security.istio.io`
    RequestAuthentication(istio::RequestAuthentication<'a>);
    /// `security.istio.io`
    AuthorizationPolicy(istio::AuthorizationPolicy<'a>);
    /// `telemetry.istio.io`
    Telemetry(istio::Telemetry<'a>);
    /// `extensions.istio.io`
    WasmPlugin(istio::WasmPlugin<'a>);
    /// `extensions.istio.io`
    TrafficExtension(istio::TrafficExtension<'a>);
    /// The namespace itself is all in the header.
    Namespace(Namespace<'a>);
    /// The core group.
    Service(kubernetes::Service<'a>);
    /// The core group.
    Node(kubernetes::Node<'a>);
    /// Every kind that makes pods.
    Workload(kubernetes::Workload<'a>);
    /// `discovery.k8s.io`
    EndpointSlice(kubernetes::EndpointSlice<'a>);
    /// The core group.
    Secret(kubernetes::Secret<'a>);
    /// The core group.
    ConfigMap(kubernetes::ConfigMap<'a>);
    /// The core group.
    ServiceAccount(kubernetes::ServiceAccount<'a>);
    /// `networking.k8s.io`
    Ingress(kubernetes::Ingress<'a>);
    /// `networking.k8s.io`
    IngressClass(kubernetes::IngressClass<'a>);
    /// `admissionregistration.k8s.io`
    MutatingWebhookConfiguration(kubernetes::WebhookConfiguration<'a>);
    /// `apiextensions.k8s.io`
    CustomResourceDefinition(kubernetes::CustomResourceDefinition<'a>);
    /// `gateway.networking.k8s.io`
    GatewayClass(gateway_api::GatewayClassSpec<'a>);
    /// `gateway.networking.k8s.io` `Gateway`
    KubernetesGateway(gateway_api::GatewaySpec<'a>);
    /// `gateway.networking.k8s.io`
    ListenerSet(gateway_api::ListenerSetSpec<'a>);
    /// `gateway.networking.k8s.io`
    HttpRoute(gateway_api::HttpRouteSpec<'a>);
    /// `gateway.networking.k8s.io`
    GrpcRoute(gateway_api::GrpcRouteSpec<'a>);
    /// `gateway.networking.k8s.io`
    TlsRoute(gateway_api::TlsRouteSpec<'a>);
    /// `gateway.networking.k8s.io`
    TcpRoute(gateway_api::TcpRouteSpec<'a>);
    /// `gateway.networking.k8s.io`
    ReferenceGrant(gateway_api::ReferenceGrantSpec<'a>);
    /// `gateway.networking.k8s.io`
    BackendTlsPolicy(gateway_api::BackendTlsPolicySpec<'a>);
    /// `inference.networking.k8s.io`
    InferencePool(gateway_api::InferencePoolSpec<'a>);
    /// A release of Flux or an application of Argo CD: more than the input shows.
    Release(Release<'a>);
    /// `kustomize.config.k8s.io`
    Kustomization(kustomize::Kustomization<'a>);
}

/// What another tool renders into a namespace.
#[derive(Debug)]
pub struct Release<'a> {
    /// Where it goes, if it says so.
    pub namespace: Option<Text<'a>>,
}

impl<'a> Release<'a> {
    fn decode(spec: Fields<'_, 'a>) -> Self {
        let destination = spec.node("destination").map(|node| spec.at(node));
        let namespace = spec
            .text("targetNamespace")
            .or_else(|| destination.and_then(|place| place.text("namespace")));
        Self { namespace }
    }
}

/// A namespace; its labels are in the header.
#[derive(Debug)]
pub struct Namespace<'a> {
    /// Its name.
    pub name: Text<'a>,
}

impl<'a> Body<'a> {
    /// Reads a document of a known kind. `root` is the whole object.
    fn decode(group: &str, kind: &str, root: Fields<'_, 'a>) -> Self {
        match group {
            "helm.toolkit.fluxcd.io" => spec(root, Release::decode, Body::Release),
            "argoproj.io" if kind == "Application" => spec(root, Release::decode, Body::Release),
            ""
            | "apps"
            | "batch"
            | "argoproj.io"
            | "discovery.k8s.io"
            | "networking.k8s.io"
            | "admissionregistration.k8s.io"
            | "apiextensions.k8s.io" => kubernetes(group, kind, root),
            "gateway.networking.k8s.io" | "inference.networking.k8s.io" => gateway(kind, root),
            "kustomize.config.k8s.io" => Body::Kustomization(Box::new(kustomize::Kustomization::decode(root))),
            _ if group.ends_with(".istio.io") => istio(kind, root),
            _ => Body::Other,
        }
    }
}

fn spec<'t, 'a, T>(root: Fields<'t, 'a>, decode: fn(Fields<'t, 'a>) -> T, variant: fn(Box<T>) -> Body<'a>) -> Body<'a> {
    root.object("spec", decode)
        .map_or(Body::Other, |value| variant(Box::new(value)))
}

fn istio<'a>(kind: &str, root: Fields<'_, 'a>) -> Body<'a> {
    match kind {
        "VirtualService" => spec(root, istio::VirtualService::decode, Body::VirtualService),
        "DestinationRule" => spec(root, istio::DestinationRule::decode, Body::DestinationRule),
        "Gateway" => spec(root, istio::Gateway::decode, Body::Gateway),
        "ServiceEntry" => spec(root, istio::ServiceEntry::decode, Body::ServiceEntry),
        "Sidecar" => spec(root, istio::Sidecar::decode, Body::Sidecar),
        "WorkloadEntry" => spec(root, istio::WorkloadEntry::decode, Body::WorkloadEntry),
        "WorkloadGroup" => spec(root, istio::WorkloadGroup::decode, Body::WorkloadGroup),
        "EnvoyFilter" => spec(root, istio::EnvoyFilter::decode, Body::EnvoyFilter),
        "ProxyConfig" => spec(root, istio::ProxyConfig::decode, Body::ProxyConfig),
        "PeerAuthentication" => spec(root, istio::PeerAuthentication::decode, Body::PeerAuthentication),
        "RequestAuthentication" => spec(root, istio::RequestAuthentication::decode, Body::RequestAuthentication),
        "AuthorizationPolicy" => spec(root, istio::AuthorizationPolicy::decode, Body::AuthorizationPolicy),
        "Telemetry" => spec(root, istio::Telemetry::decode, Body::Telemetry),
        "WasmPlugin" => spec(root, istio::WasmPlugin::decode, Body::WasmPlugin),
        "TrafficExtension" => spec(root, istio::TrafficExtension::decode, Body::TrafficExtension),
        _ => Body::Other,
    }
}

fn gateway<'a>(kind: &str, root: Fields<'_, 'a>) -> Body<'a> {
    match kind {
        "GatewayClass" => spec(root, gateway_api::GatewayClassSpec::decode, Body::GatewayClass),
        "Gateway" => gateway_api::GatewaySpec::decode_document(root)
            .map_or(Body::Other, |gateway| Body::KubernetesGateway(Box::new(gateway))),
        "ListenerSet" => spec(root, gateway_api::ListenerSetSpec::decode, Body::ListenerSet),
        "HTTPRoute" => spec(root, gateway_api::HttpRouteSpec::decode, Body::HttpRoute),
        "GRPCRoute" => spec(root, gateway_api::GrpcRouteSpec::decode, Body::GrpcRoute),
        "TLSRoute" => spec(root, gateway_api::TlsRouteSpec::decode, Body::TlsRoute),
        "TCPRoute" => spec(root, gateway_api::TcpRouteSpec::decode, Body::TcpRoute),
        "ReferenceGrant" => spec(root, gateway_api::ReferenceGrantSpec::decode, Body::ReferenceGrant),
        "BackendTLSPolicy" => spec(root, gateway_api::BackendTlsPolicySpec::decode, Body::BackendTlsPolicy),
        "InferencePool" => spec(root, gateway_api::InferencePoolSpec::decode, Body::InferencePool),
        _ => Body::Other,
    }
}

fn kubernetes<'a>(group: &str, kind: &str, root: Fields<'_, 'a>) -> Body<'a> {
    use kubernetes::{
        ConfigMap, CustomResourceDefinition, EndpointSlice, Ingress, IngressClass, Node, Secret, Service,
        ServiceAccount,
    };
    use kubernetes::{WebhookConfiguration, Workload};
    match (group, kind) {
        ("", "Namespace") => root
            .object("metadata", |metadata| metadata.text("name"))
            .flatten()
            .map_or(Body::Other, |name| Body::Namespace(Box::new(Namespace { name }))),
        ("", "Service") => {
            Service::decode_document(root).map_or(Body::Other, |service| Body::Service(Box::new(service)))
        }
        ("", "Node") => Body::Node(Box::new(root.object("spec", Node::decode).unwrap_or_default())),
        ("", "Pod") => Body::Workload(Box::new(Workload::decode_pod(root))),
        ("batch", "CronJob") => spec(root, Workload::decode_cron_job, Body::Workload),
        (
            "apps" | "batch" | "argoproj.io",
            "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" | "Rollout",
        ) => spec(root, Workload::decode, Body::Workload),
        ("discovery.k8s.io", "EndpointSlice") => Body::EndpointSlice(Box::new(EndpointSlice::decode(root))),
        ("", "Secret") => Body::Secret(Box::new(Secret::decode(root))),
        ("", "ConfigMap") => Body::ConfigMap(Box::new(ConfigMap::decode(root))),
        ("", "ServiceAccount") => Body::ServiceAccount(Box::new(ServiceAccount::decode(root))),
        ("networking.k8s.io", "Ingress") => spec(root, Ingress::decode, Body::Ingress),
        ("networking.k8s.io", "IngressClass") => spec(root, IngressClass::decode, Body::IngressClass),
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration") => {
            Body::MutatingWebhookConfiguration(Box::new(WebhookConfiguration::decode(root)))
        }
        ("apiextensions.k8s.io", "CustomResourceDefinition") => {
            spec(root, CustomResourceDefinition::decode, Body::CustomResourceDefinition)
        }
        _ => Body::Other,
    }
}
