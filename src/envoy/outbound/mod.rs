//! What a sidecar does with outgoing traffic: its listeners and their route configurations.

mod connections;
mod domains;
mod draft;
mod groups;
mod hosts;
mod listeners;
mod routes;
mod unmatched;
mod unused;
mod virtual_hosts;

use super::filters::Filters;
use super::message::Str;
use super::pods::PodGroup;
use super::registry::{Service, ServiceId};
use super::routing::compile::Asker;
use super::scope::Scope;
use super::{Configuration, World};
use hosts::RoutedHosts;
use unused::Claims;

/// The gateway that stands for all sidecars.
static MESH: [Str; 1] = [Str::new_static("mesh")];

/// The address that stands for all of them.
static WILDCARD: Str = Str::new_static("0.0.0.0");

/// Adds the outbound listeners and route configurations of a sidecar.
pub fn compile<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    scope: &Scope,
    configuration: &mut Configuration,
) {
    let outbound = Outbound {
        world,
        proxy,
        scope,
        filters: Filters::new(world, proxy),
        hosts: scope
            .listeners
            .iter()
            .map(|listener| RoutedHosts::new(world, listener))
            .collect(),
    };
    let (listeners, sources) = outbound.listeners();
    configuration.listeners.add_all(listeners);
    let mut claims = Claims::default();
    for source in sources {
        let made = outbound.route_configuration(&source, &mut claims);
        configuration.routes.add_all(made);
    }
    configuration.unused.extend(outbound.unused(&claims));
}

/// Compiles for one sidecar.
struct Outbound<'w, 'm, 'a> {
    world: &'w World<'m, 'a>,
    proxy: &'w PodGroup<'m, 'a>,
    scope: &'w Scope,
    filters: Filters<'w, 'm, 'a>,
    /// Which routes speak of a host, for each listener of the scope.
    hosts: Vec<RoutedHosts<'w>>,
}

impl<'m, 'a> Outbound<'_, 'm, 'a> {
    fn service(&self, id: ServiceId) -> &Service<'m, 'a> {
        &self.world.registry.services[id]
    }

    fn asker(&self, port: u32) -> Asker<'_, 'm, 'a> {
        Asker {
            proxy: self.proxy,
            scope: self.scope,
            gateways: &MESH,
            source_namespace: self.proxy.namespace,
            port,
            is_tls: false,
            whole_services: port == 0,
            waypoint: None,
        }
    }

    /// The addresses of a service as clients of the proxy's cluster have them: those of their own cluster, else those of the
    /// first that has the service.
    fn addresses<'s>(&self, service: &'s Service<'m, 'a>) -> impl Iterator<Item = &'s Str> {
        let own = service
            .addresses
            .iter()
            .map(|(of, _)| *of)
            .find(|of| *of == self.proxy.cluster);
        let cluster = own.or_else(|| service.addresses.first().map(|(of, _)| *of));
        let chosen = service.addresses.iter().filter(move |(of, _)| Some(*of) == cluster);
        chosen.map(|(_, address)| address)
    }
}
