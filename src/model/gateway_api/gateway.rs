//! `gateway.networking.k8s.io` `Gateway`.

use super::{AllowedRoutes, LabelSelector, ListenerTlsConfig, SecretObjectReference};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Fields, Labels, Spanned, Text};

record! {
    /// Class, listeners and addresses.
    GatewaySpec<'a> {
        addresses: ThinVec<GatewaySpecAddress<'a>> = list("addresses", GatewaySpecAddress::decode);
        allowed_listeners: Option<Box<AllowedListeners<'a>>> = boxed("allowedListeners", AllowedListeners::decode);
        default_scope: Option<Text<'a>> = text("defaultScope");
        gateway_class_name: Option<Text<'a>> = text("gatewayClassName");
        infrastructure: Option<Box<GatewayInfrastructure<'a>>> = boxed("infrastructure", GatewayInfrastructure::decode);
        listeners: ThinVec<Listener<'a>> = list("listeners", Listener::decode);
        tls: Option<Box<GatewayTlsConfig<'a>>> = boxed("tls", GatewayTlsConfig::decode);
        status_addresses: ThinVec<GatewaySpecAddress<'a>> = elsewhere();
    }
    /// A wanted address.
    GatewaySpecAddress<'a> {
        type_name: Option<Text<'a>> = text("type");
        value: Option<Text<'a>> = text("value");
    }
    /// Which ListenerSets may attach.
    AllowedListeners<'a> {
        namespaces: Option<Box<ListenerNamespaces<'a>>> = boxed("namespaces", ListenerNamespaces::decode);
    }
    /// Namespaces.
    ListenerNamespaces<'a> {
        from: Option<Text<'a>> = text("from");
        selector: Option<Box<LabelSelector<'a>>> = boxed("selector", LabelSelector::decode);
    }
    /// What the controller creates.
    GatewayInfrastructure<'a> {
        annotations: Labels<'a> = labels("annotations");
        labels: Labels<'a> = labels("labels");
        parameters_ref: Option<Box<LocalParametersReference<'a>>> = boxed("parametersRef", LocalParametersReference::decode);
    }
    /// Object with settings, in the same namespace.
    LocalParametersReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
    }
    /// A port with protocol and host.
    Listener<'a> {
        allowed_routes: Option<Box<AllowedRoutes<'a>>> = boxed("allowedRoutes", AllowedRoutes::decode);
        hostname: Option<Text<'a>> = text("hostname");
        name: Option<Text<'a>> = text("name");
        port: Option<Spanned<i64>> = number("port");
        protocol: Option<Text<'a>> = text("protocol");
        tls: Option<Box<ListenerTlsConfig<'a>>> = boxed("tls", ListenerTlsConfig::decode);
    }
    /// TLS for the whole Gateway.
    GatewayTlsConfig<'a> {
        backend: Option<Box<GatewayBackendTls<'a>>> = boxed("backend", GatewayBackendTls::decode);
        frontend: Option<Box<FrontendTlsConfig<'a>>> = boxed("frontend", FrontendTlsConfig::decode);
    }
    /// TLS towards backends.
    GatewayBackendTls<'a> {
        client_certificate_ref: Option<Box<SecretObjectReference<'a>>> = boxed("clientCertificateRef", SecretObjectReference::decode);
    }
    /// Checks of client certificates.
    FrontendTlsConfig<'a> {
        default: Option<Box<TlsConfig<'a>>> = boxed("default", TlsConfig::decode);
        per_port: ThinVec<TlsPortConfig<'a>> = list("perPort", TlsPortConfig::decode);
    }
    /// Checks of client certificates.
    TlsConfig<'a> {
        validation: Option<Box<FrontendTlsValidation<'a>>> = boxed("validation", FrontendTlsValidation::decode);
    }
    /// How client certificates are checked.
    FrontendTlsValidation<'a> {
        ca_certificate_refs: ThinVec<ObjectReference<'a>> = list("caCertificateRefs", ObjectReference::decode);
        mode: Option<Text<'a>> = text("mode");
    }
    /// An object of any namespace.
    ObjectReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
    }
    /// Checks for one port.
    TlsPortConfig<'a> {
        port: Option<Spanned<i64>> = number("port");
        tls: Option<Box<TlsConfig<'a>>> = boxed("tls", TlsConfig::decode);
    }
}

impl<'a> GatewaySpec<'a> {
    /// Reads a `Gateway` from the whole document.
    pub(in crate::model) fn decode_document(root: Fields<'_, 'a>) -> Option<Self> {
        let mut gateway = root.object("spec", Self::decode)?;
        let addresses = root.object("status", |status| status.list("addresses", GatewaySpecAddress::decode));
        gateway.status_addresses = addresses.unwrap_or_default();
        Some(gateway)
    }
}
