//! One patch of an EnvoyFilter, ready to be applied.

use std::cell::Cell;

use regex::Regex;
use serde_json::Value as Json;

use super::decode;
use super::merge::{Lists, merge};
use crate::envoy::pods::{PodGroup, Role};
use crate::model::istio::{EnvoyConfigObjectMatch, EnvoyConfigObjectPatch, ListenerMatch, RouteConfigurationMatch};
use crate::source::Span;
use crate::values::regex::to_rust;

/// The version that proxies say they have.
const PROXY_VERSION: &str = "1.31.0";

macro_rules! words {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$of_word:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$of_word])* $variant,)* }

        impl $name {
            /// The word of the API.
            pub fn of(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

words! {
    /// What a patch changes.
    Place {
        /// A listener.
        Listener = "LISTENER",
        /// A filter chain of a listener.
        FilterChain = "FILTER_CHAIN",
        /// A filter of a chain.
        NetworkFilter = "NETWORK_FILTER",
        /// A filter of an HTTP connection manager.
        HttpFilter = "HTTP_FILTER",
        /// What looks at a connection before a chain is chosen.
        ListenerFilter = "LISTENER_FILTER",
        /// A route configuration.
        RouteConfiguration = "ROUTE_CONFIGURATION",
        /// A virtual host of a route configuration.
        VirtualHost = "VIRTUAL_HOST",
        /// A route of a virtual host.
        HttpRoute = "HTTP_ROUTE",
        /// A cluster.
        Cluster = "CLUSTER",
    }
    /// How a patch changes it.
    Operation {
        /// The value is merged into it.
        Merge = "MERGE",
        /// The value is merged into it, its lists in place of those that are there.
        MergeAndReplaceList = "MERGE_AND_REPLACE_LIST",
        /// The value is one more, at the end.
        Add = "ADD",
        /// It goes.
        Remove = "REMOVE",
        /// The value goes before it.
        InsertBefore = "INSERT_BEFORE",
        /// The value goes behind it.
        InsertAfter = "INSERT_AFTER",
        /// The value goes before all.
        InsertFirst = "INSERT_FIRST",
        /// The value takes its place.
        Replace = "REPLACE",
    }
    /// The part of a proxy's configuration that a patch is for.
    Context {
        /// All of them.
        Any = "ANY",
        /// What comes in at a sidecar.
        SidecarInbound = "SIDECAR_INBOUND",
        /// What leaves a sidecar.
        SidecarOutbound = "SIDECAR_OUTBOUND",
        /// A gateway.
        Gateway = "GATEWAY",
        /// A waypoint.
        Waypoint = "WAYPOINT",
    }
}

impl Place {
    /// The message that a value is.
    pub fn message(self) -> &'static str {
        match self {
            Place::Listener => "envoy.config.listener.v3.Listener",
            Place::FilterChain => "envoy.config.listener.v3.FilterChain",
            Place::NetworkFilter => "envoy.config.listener.v3.Filter",
            Place::HttpFilter => "envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter",
            Place::ListenerFilter => "envoy.config.listener.v3.ListenerFilter",
            Place::RouteConfiguration => "envoy.config.route.v3.RouteConfiguration",
            Place::VirtualHost => "envoy.config.route.v3.VirtualHost",
            Place::HttpRoute => "envoy.config.route.v3.Route",
            Place::Cluster => "envoy.config.cluster.v3.Cluster",
        }
    }
}

impl Operation {
    /// Whether the value is merged.
    pub fn is_merge(self) -> bool {
        matches!(self, Operation::Merge | Operation::MergeAndReplaceList)
    }
}

/// A patch whose value is decoded.
#[derive(Debug)]
pub struct Patch<'m, 'a> {
    /// What it changes.
    pub place: Place,
    /// How.
    pub operation: Operation,
    /// The value; null for a removal.
    pub value: Json,
    /// Where it is written.
    pub span: Span,
    context: Context,
    matches: Option<&'m EnvoyConfigObjectMatch<'a>>,
}

impl<'m, 'a> Patch<'m, 'a> {
    /// Reads a patch. There is none where istiod reads none: a place that is not recorded, a value that is no such message.
    pub fn read(patch: &'m EnvoyConfigObjectPatch<'a>) -> Option<Self> {
        let matches = patch.matches.as_deref();
        let place = Place::of(patch.apply_to?.as_str())?;
        let change = patch.patch.as_deref()?;
        let operation = Operation::of(change.operation?.as_str())?;
        let context = matches.and_then(|matches| matches.context);
        let value = match (&change.value, operation) {
            (_, Operation::Remove) => Json::Null,
            (Some(value), _) => decode::message(place.message(), &value.value)?,
            (None, _) => return None,
        };
        Some(Self {
            place,
            operation,
            value,
            span: patch.span,
            context: context.map_or(Some(Context::Any), |context| Context::of(context.as_str()))?,
            matches,
        })
    }

    /// Whether the patch is for proxies of the recorded version; none of them has metadata.
    pub fn is_for_proxies(&self) -> bool {
        let Some(proxy) = self.matches.and_then(|matches| matches.proxy.as_deref()) else {
            return true;
        };
        let version = proxy.proxy_version.as_ref().filter(|text| !text.as_str().is_empty());
        let is_version = version.is_none_or(|version| is_match(version.as_str(), PROXY_VERSION));
        is_version && proxy.metadata.is_empty()
    }

    /// Whether it is for this part of a configuration.
    pub fn is_for(&self, context: Context) -> bool {
        self.context == context || self.context == Context::Any
    }

    /// Merges the value into a message of its place.
    pub fn merge_into(&self, message: &mut Json) {
        let lists = match self.operation {
            Operation::MergeAndReplaceList => Lists::Replace,
            _ => Lists::Append,
        };
        merge(self.place.message(), message, &self.value, lists);
    }

    /// Whether it adds a listener or cluster to this part. One that names no part adds to what leaves sidecars and to
    /// gateways alone.
    fn adds_to(&self, context: Context) -> bool {
        let has_default = matches!(context, Context::SidecarOutbound | Context::Gateway);
        self.operation == Operation::Add && (self.context != Context::Any || has_default)
    }

    /// The conditions on a listener.
    pub fn listener(&self) -> Option<&'m ListenerMatch<'a>> {
        self.matches?.listener.as_deref()
    }

    /// The conditions on a route configuration.
    pub fn route_configuration(&self) -> Option<&'m RouteConfigurationMatch<'a>> {
        self.matches?.route_configuration.as_deref()
    }

    /// All conditions.
    pub fn matches(&self) -> Option<&'m EnvoyConfigObjectMatch<'a>> {
        self.matches
    }
}

fn is_match(pattern: &str, text: &str) -> bool {
    let regex = to_rust(pattern).ok().and_then(|pattern| Regex::new(&pattern).ok());
    regex.is_some_and(|regex| regex.is_match(text))
}

impl Context {
    /// The part that the proxies of a scope share: what a sidecar sends, what a gateway or waypoint serves.
    pub fn shared(proxy: &PodGroup<'_, '_>) -> Self {
        match proxy.role {
            Some(Role::Gateway) => Context::Gateway,
            Some(Role::Waypoint) => Context::Waypoint,
            _ => Context::SidecarOutbound,
        }
    }
}

/// A patch that a proxy takes, and whether it has changed anything yet.
#[derive(Debug)]
pub struct Taken<'p, 'm, 'a> {
    /// The patch.
    pub patch: &'p Patch<'m, 'a>,
    /// Whether it has changed anything.
    pub used: Cell<bool>,
}

/// The patches that one part of a configuration takes, in the order in which they are applied.
#[derive(Debug)]
pub struct Order<'p, 'm, 'a> {
    /// The part.
    pub context: Context,
    /// The patches.
    pub patches: Vec<Taken<'p, 'm, 'a>>,
}

impl<'p, 'm, 'a> Order<'p, 'm, 'a> {
    /// Those of one place.
    pub fn of(&self, place: Place) -> impl Iterator<Item = &Taken<'p, 'm, 'a>> {
        self.patches.iter().filter(move |taken| taken.patch.place == place)
    }

    /// Whether there is one of these places.
    pub fn any_of(&self, places: &[Place]) -> bool {
        self.patches.iter().any(|taken| places.contains(&taken.patch.place))
    }

    /// The listeners or clusters that they add.
    pub fn additions(&self, place: Place) -> impl Iterator<Item = (Json, Trace)> {
        let adds = self.of(place).filter(|taken| taken.patch.adds_to(self.context));
        adds.map(|taken| {
            let mut trace = Trace::default();
            trace.note(taken);
            (taken.patch.value.clone(), trace)
        })
    }
}

/// The places of the patches that changed a piece.
#[derive(Debug, Default)]
pub struct Trace(pub Vec<Span>);

impl Trace {
    /// Notes that a patch changed the piece.
    pub fn note(&mut self, taken: &Taken<'_, '_, '_>) {
        taken.used.set(true);
        if !self.0.contains(&taken.patch.span) {
            self.0.push(taken.patch.span);
        }
    }
}
