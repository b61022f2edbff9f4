//! What a proxy is told of: the services it imports, the routes that hold for it, and what becomes of the rest.

mod build;
mod hosts;
mod sidecars;

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::World;
use super::message::Str;
use super::pods::{PodGroup, Role};
use super::registry::{Port, Service, ServiceId};
use super::routing::RoutesId;
use crate::mesh::{Mesh, Protocol, ResourceId};
use crate::source::Span;
use build::Builder;
use sidecars::Sidecars;

/// All scopes that were asked for.
#[derive(Debug)]
pub struct Scopes<'m, 'a> {
    sidecars: Sidecars<'m, 'a>,
    known: Mutex<FxHashMap<Key<'m>, Arc<Scope>>>,
}

/// What tells scopes apart: the namespace, the Sidecar that holds, and whether it is for gateways.
type Key<'m> = (&'m str, Option<ResourceId>, bool);

/// What a proxy is told of. Proxies of one namespace under one Sidecar share it; gateways see all that is exported to them.
#[derive(Debug, Default)]
pub struct Scope {
    /// The services, one a host: those that a listener imports in the order of the registry, then those that only routes name.
    pub services: Vec<Imported>,
    /// The VirtualServices and routes for `mesh`, those first that win a host.
    pub routes: Vec<RoutesId>,
    /// Outbound listeners; one without a port is the last and takes all other ports.
    pub listeners: Vec<EgressListener>,
    /// What becomes of traffic for other destinations.
    pub outbound_traffic: OutboundTraffic,
    /// The Sidecar that it comes from.
    pub sidecar: Option<ResourceId>,
    by_host: FxHashMap<Str, usize>,
}

/// A service that a proxy is told of.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The service.
    pub service: ServiceId,
    /// Which of its ports.
    pub ports: Ports,
    /// No listener imports it: routes name it as a destination, so that it only becomes clusters.
    pub clusters_only: bool,
}

/// Some ports of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ports {
    /// All.
    All,
    /// Those of these numbers.
    Only(SmallVec<[u32; 2]>),
}

/// A listener for outgoing traffic.
#[derive(Clone, Debug, Default)]
pub struct EgressListener {
    /// Its port; 0 for a socket of the file system, `None` where it is for all ports.
    pub port: Option<u32>,
    /// Whether it is a proxy that applications address as such, `HTTP_PROXY`.
    pub is_proxy: bool,
    /// The protocol that is written, as Istio reads it.
    pub protocol: Option<Protocol>,
    /// Where it listens, if it is written.
    pub bind: Option<Str>,
    /// Whether traffic is not redirected to it, so that it binds its port.
    pub binds_port: bool,
    /// What it imports.
    pub services: Vec<Imported>,
    /// The routes that hold on it.
    pub routes: Vec<RoutesId>,
    /// Where it is written, if it is.
    pub span: Option<Span>,
}

/// What becomes of traffic for destinations that the proxy does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboundTraffic {
    /// Whether it is let through.
    pub allow_any: bool,
    /// `ALLOW_ANY_DYNAMIC_DNS`
    pub dynamic_dns: bool,
    /// The cluster that it goes to instead of its destination, `egressProxy`.
    pub egress_proxy: Option<Str>,
}

impl Ports {
    /// Whether the port of this number is among them.
    pub fn has(&self, number: u32) -> bool {
        match self {
            Ports::All => true,
            Ports::Only(numbers) => numbers.contains(&number),
        }
    }

    /// Adds other ports.
    pub fn join(&mut self, others: &Self) {
        match (&mut *self, others) {
            (Ports::Only(own), Ports::Only(others)) => {
                for number in others {
                    if !own.contains(number) {
                        own.push(*number);
                    }
                }
            }
            _ => *self = Ports::All,
        }
    }
}

impl Imported {
    /// The ports that the proxy is told of.
    pub fn ports<'s>(&'s self, service: &'s Service<'_, '_>) -> impl Iterator<Item = &'s Port> {
        service.ports.iter().filter(|port| self.ports.has(port.number))
    }
}

impl Scope {
    /// The service that a host is for this proxy.
    pub fn service(&self, host: &str) -> Option<&Imported> {
        self.by_host.get(host).map(|place| &self.services[*place])
    }
}

impl<'m, 'a> Scopes<'m, 'a> {
    /// Indexes the Sidecars.
    pub fn new(mesh: &'m Mesh<'a>) -> Self {
        Self {
            sidecars: Sidecars::new(mesh),
            known: Mutex::default(),
        }
    }
}

impl<'m, 'a> World<'m, 'a> {
    /// What a proxy is told of.
    pub fn scope(&self, proxy: &PodGroup<'m, 'a>) -> Arc<Scope> {
        let sidecar = self.scopes.sidecars.of(proxy);
        let is_gateway = proxy.role == Some(Role::Gateway);
        let key = (proxy.namespace, sidecar.map(|sidecar| sidecar.id), is_gateway);
        let lock = || self.scopes.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return known.clone();
        }
        let builder = Builder {
            world: self,
            namespace: proxy.namespace,
        };
        let scope = Arc::new(if is_gateway {
            builder.gateway_scope()
        } else {
            builder.scope(sidecar)
        });
        lock().insert(key, scope.clone());
        scope
    }
}
