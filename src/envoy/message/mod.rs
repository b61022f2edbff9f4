//! Envoy's messages, as far as istiod writes them: one struct a message, one line a field, in Envoy's own names.
//!
//! Serialised they are the JSON of a config dump: proto3 names, and a field that has proto3's default value is left out.
//! A field that a wrapper message makes distinguishable from its default is an `Option`. Leaves that nothing asks for,
//! such as the settings of a tracer, are [`Json`].

mod cluster;
mod endpoint;
mod http;
mod jwt;
mod listener;
mod rbac;
mod route;
mod tls;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;
use smallvec::SmallVec;
use smol_str::SmolStr;

pub use cluster::*;
pub use endpoint::*;
pub use http::*;
pub use jwt::*;
pub use listener::*;
pub use rbac::*;
pub use route::*;
pub use tls::*;

use crate::source::Span;

/// A text of a message; cheap to clone.
pub type Str = SmolStr;

/// A value of no fixed form, shared.
pub type Json = Arc<Value>;

/// Declares messages: a struct a message, whose fields are written in camel case and left out at their default.
macro_rules! message {
    ($($(#[$attribute:meta])* $name:ident { $($field:ident $(as $rename:literal)? : $type:ty),* $(,)? })*) => { $(
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        #[allow(missing_docs, reason = "the names are Envoy's own")]
        pub struct $name {
            $(
                #[serde(skip_serializing_if = "crate::envoy::message::Absent::is_absent" $(, rename = $rename)?)]
                pub $field: $type,
            )*
        }

        impl crate::envoy::message::Absent for $name {
            fn is_absent(&self) -> bool {
                false
            }
        }
    )* };
}
pub(crate) use message;

/// What proto3 leaves out: an empty list or text, zero, false, a message that is not there.
pub trait Absent {
    /// Whether the value is left out.
    fn is_absent(&self) -> bool;
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Absent> Absent for Box<T> {
    fn is_absent(&self) -> bool {
        T::is_absent(self)
    }
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Absent for Arc<[T]> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<K, V> Absent for BTreeMap<K, V> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for Str {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for &'static str {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for bool {
    fn is_absent(&self) -> bool {
        !self
    }
}

impl Absent for u32 {
    fn is_absent(&self) -> bool {
        *self == 0
    }
}

/// The places of the resources that made a piece. Never written out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin(pub SmallVec<[Span; 2]>);

impl Origin {
    /// A piece that this place made.
    pub fn of(span: Span) -> Self {
        Self(SmallVec::from_iter([span]))
    }

    /// Adds a place, once.
    pub fn add(&mut self, span: Span) {
        if !self.0.contains(&span) {
            self.0.push(span);
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl Absent for Origin {
    fn is_absent(&self) -> bool {
        true
    }
}

/// `type.v3.Percent`
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percent {
    /// The percentage, 0 to 100.
    pub value: f64,
}

impl Serialize for Percent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = (1..=100_u32).find(|whole| f64::from(*whole).total_cmp(&self.value).is_eq());
        let mut map = serializer.serialize_map(None)?;
        match whole {
            Some(whole) => map.serialize_entry("value", &whole)?,
            None if self.value == 0.0 => {}
            None => map.serialize_entry("value", &self.value)?,
        }
        map.end()
    }
}

/// A message without fields, where only its presence counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Empty {}

message! {
    /// `core.v3.Address`: one of the three.
    Address {
        socket_address: Option<SocketAddress>,
        pipe: Option<Pipe>,
        envoy_internal_address: Option<EnvoyInternalAddress>,
    }
    /// `core.v3.SocketAddress`. The address is an IP address, a host name, or a named one: `vip(web.shop)`, `pod(web-0.shop)`.
    SocketAddress {
        address: Str,
        port_value: u32,
    }
    /// `core.v3.Pipe`
    Pipe {
        path: Str,
    }
    /// `core.v3.EnvoyInternalAddress`
    EnvoyInternalAddress {
        server_listener_name: Str,
        endpoint_id: Str,
    }
    /// `core.v3.CidrRange`
    CidrRange {
        address_prefix: Str,
        prefix_len: Option<u32>,
    }
    /// `core.v3.Metadata`
    Metadata {
        filter_metadata: Box<FilterMetadata>,
    }
    /// The entries that istiod writes.
    FilterMetadata {
        istio: Option<IstioMetadata>,
        transport_socket_match as "envoy.transport_socket_match": Option<TransportSocketMatchMetadata>,
        original_dst as "envoy.filters.listener.original_dst": Option<OriginalDstMetadata>,
    }
    /// What istiod says of a piece: the resource that it credits, a subset, a workload.
    IstioMetadata {
        config: Str,
        subset: Str,
        external: bool,
        alpn_override as "alpn_override": Str,
        disable_mx as "disable_mx": bool,
        services: Vec<ServiceMetadata>,
        workload: Str,
    }
    /// A Service that a cluster stands for.
    ServiceMetadata {
        host: Str,
        name: Str,
        namespace: Str,
    }
    /// Which transport socket an endpoint takes.
    TransportSocketMatchMetadata {
        tls_mode: Str,
        tunnel: Str,
    }
    /// The address behind a tunnel.
    OriginalDstMetadata {
        local: Str,
        waypoint: Str,
    }
    /// `core.v3.ConfigSource` of resources that come by ADS.
    ConfigSource {
        ads: Option<Empty>,
        api_config_source: Option<Json>,
        initial_fetch_timeout: Str,
        resource_api_version: Str,
    }
    /// `matcher.v3.StringMatcher`: one of the first five.
    StringMatcher {
        exact: Option<Str>,
        prefix: Option<Str>,
        suffix: Option<Str>,
        contains: Option<Str>,
        safe_regex: Option<RegexMatcher>,
        ignore_case: bool,
    }
    /// `matcher.v3.RegexMatcher`
    RegexMatcher {
        regex: Str,
    }
    /// `type.v3.FractionalPercent`. The denominator is a hundred where it is empty.
    FractionalPercent {
        numerator: u32,
        denominator: &'static str,
    }
    /// `core.v3.RuntimeFractionalPercent`
    RuntimeFractionalPercent {
        default_value: Option<FractionalPercent>,
    }
    /// `core.v3.HeaderValueOption`. Without an action the value is appended.
    HeaderValueOption {
        header: HeaderValue,
        append_action: &'static str,
    }
    /// `core.v3.HeaderValue`
    HeaderValue {
        key: Str,
        value: Str,
    }
    /// An extension point that takes a name and a configuration of no fixed form.
    Extension {
        name: Str,
        typed_config: Option<Json>,
    }
}

impl Address {
    /// The port of a socket of the network.
    pub fn port(&self) -> Option<u32> {
        Some(self.socket_address.as_ref()?.port_value)
    }

    /// A host and a port.
    pub fn socket(address: impl Into<Str>, port: u32) -> Self {
        Self {
            socket_address: Some(SocketAddress {
                address: address.into(),
                port_value: port,
            }),
            ..Self::default()
        }
    }

    /// A socket of the file system.
    pub fn pipe(path: impl Into<Str>) -> Self {
        Self {
            pipe: Some(Pipe { path: path.into() }),
            ..Self::default()
        }
    }
}

impl FractionalPercent {
    /// A whole number of percent.
    pub fn whole(numerator: u32) -> Self {
        Self {
            numerator,
            denominator: "",
        }
    }

    /// Any percentage, in millionths as istiod writes it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates, as in Go"
    )]
    pub fn exact(percent: f64) -> Self {
        Self {
            numerator: (percent * 10_000.0) as u32,
            denominator: "MILLION",
        }
    }
}

impl Metadata {
    /// Metadata of Istio alone.
    pub fn istio(istio: IstioMetadata) -> Self {
        Self {
            filter_metadata: Box::new(FilterMetadata {
                istio: Some(istio),
                ..FilterMetadata::default()
            }),
        }
    }

    /// Metadata that credits a resource, by its path in the API.
    pub fn credit(config: Str) -> Self {
        Self::istio(IstioMetadata {
            config,
            ..IstioMetadata::default()
        })
    }
}

impl StringMatcher {
    /// The text itself.
    pub fn exact(text: impl Into<Str>) -> Self {
        Self {
            exact: Some(text.into()),
            ..Self::default()
        }
    }

    /// A beginning.
    pub fn prefix(text: impl Into<Str>) -> Self {
        Self {
            prefix: Some(text.into()),
            ..Self::default()
        }
    }

    /// An end.
    pub fn suffix(text: impl Into<Str>) -> Self {
        Self {
            suffix: Some(text.into()),
            ..Self::default()
        }
    }

    /// A regular expression for the whole text.
    pub fn regex(text: impl Into<Str>) -> Self {
        Self {
            safe_regex: Some(RegexMatcher { regex: text.into() }),
            ..Self::default()
        }
    }
}

impl ConfigSource {
    /// Resources that come over the stream of istiod itself.
    pub fn ads() -> Self {
        Self {
            ads: Some(Empty {}),
            initial_fetch_timeout: Str::new_static("0s"),
            resource_api_version: Str::new_static("V3"),
            ..Self::default()
        }
    }
}
