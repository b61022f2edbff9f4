//! The filters of a proxy's chains in Istio's order (catalogue: policies, 28).
//!
//! [`Filters`] is made once for a proxy. Whoever builds a chain describes it by [`HttpChain`] or [`TcpChain`] and gets its
//! network filters, policies, telemetry and extensions included.

mod fixed;
mod http;
mod network;
mod tracing;

pub use http::{HttpChain, RouteSource};
pub use network::TcpChain;

use std::cell::OnceCell;
use std::sync::Arc;

use super::World;
use super::extensions::Plugins;
use super::message::{Filter, HttpFilter, Str, Tracing};
use super::pods::PodGroup;
use super::policies::authorization::{self, ActionFilters};
use super::policies::{Target, authentication};
use super::proxy_settings::ProxySettings;
use super::registry::Service;
use super::telemetry::{Class, Signals};

/// Which way the traffic of a chain goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Traffic {
    /// From the workload of a sidecar.
    Outbound,
    /// To the workload of a sidecar.
    Inbound,
    /// Through a gateway.
    Gateway,
    /// Through a waypoint, to a service or a pod.
    Waypoint,
}

impl Traffic {
    /// The class by which telemetry and extensions choose.
    pub fn class(self) -> Class {
        match self {
            Traffic::Outbound => Class::Outbound,
            Traffic::Inbound | Traffic::Waypoint => Class::Inbound,
            Traffic::Gateway => Class::Gateway,
        }
    }
}

/// What the filters of a proxy's chains are made of.
#[derive(Debug)]
pub struct Filters<'w, 'm, 'a> {
    /// Everything that does not depend on the proxy.
    pub world: &'w World<'m, 'a>,
    /// The proxy.
    pub proxy: &'w PodGroup<'m, 'a>,
    /// Its settings.
    pub settings: ProxySettings,
    /// What is told of its traffic.
    pub signals: Signals,
    plugins: Plugins,
    guards: Guards,
    /// By class.
    tracing: [OnceCell<Option<Arc<Tracing>>>; 3],
}

/// The filters that let requests and connections in.
#[derive(Debug)]
struct Guards {
    http: ActionFilters<HttpFilter>,
    tokens: Option<HttpFilter>,
    tcp: ActionFilters<Filter>,
}

impl Guards {
    fn of(world: &World<'_, '_>, target: &Target<'_>) -> Self {
        Self {
            http: authorization::http_filters(world, target),
            tokens: authentication::jwt_filter(world, target),
            tcp: authorization::tcp_filters(world, target),
        }
    }
}

impl<'w, 'm, 'a> Filters<'w, 'm, 'a> {
    /// The filters of a proxy.
    pub fn new(world: &'w World<'m, 'a>, proxy: &'w PodGroup<'m, 'a>) -> Self {
        Self::of_target(world, proxy, Target::of(proxy))
    }

    /// The filters of the chains that a waypoint has for one service.
    #[must_use]
    pub fn for_service(&self, service: &'w Service<'m, 'a>) -> Self {
        Self::of_target(self.world, self.proxy, Target::of(self.proxy).for_service(service))
    }

    fn of_target(world: &'w World<'m, 'a>, proxy: &'w PodGroup<'m, 'a>, target: Target<'w>) -> Self {
        Self {
            world,
            proxy,
            settings: ProxySettings::of(world, proxy),
            signals: Signals::of(world, &target),
            plugins: Plugins::of(world, &target),
            guards: Guards::of(world, &target),
            tracing: Default::default(),
        }
    }

    /// What the connection managers of a class trace.
    fn tracing(&self, class: Class) -> Option<Arc<Tracing>> {
        let make = || tracing::tracing(self, class).map(Arc::new);
        self.tracing[class as usize].get_or_init(make).clone()
    }
}

/// A chain's name in statistics: Envoy ends it at the semicolon.
fn stat_prefix(name: &str) -> Str {
    if name.is_empty() {
        Str::default()
    } else {
        Str::from(format!("{name};"))
    }
}
