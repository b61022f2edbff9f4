//! The Gateway API: its Gateways become pods, Services and gateway servers, its routes become virtual routes.
//!
//! Knows nothing of Istio's own kinds: both APIs meet in the models of [`gateways`](super::gateways::model) and
//! [`routing`](super::routing::model).

mod attachments;
mod backend_tls;
mod backends;
mod class;
mod connections;
mod deployment;
mod filters;
mod grants;
mod listeners;
mod matches;
mod merge;
mod namespaces;
mod precedence;
mod rules;
mod tls;

pub use class::Controller;
pub use deployment::{GATEWAY_NAME, MANAGED, pods, services};

use rustc_hash::FxHashMap;

use super::destinations::BackendRule;
use super::environment::Environment;
use super::gateways::model::GatewayServers;
use super::message::Str;
use super::registry::Registry;
use super::routing::model::VirtualRoutes;
use crate::mesh::{Mesh, Provider};
use grants::Grants;
use listeners::Listeners;
use tls::Certificates;

/// What the resources of the Gateway API come to.
#[derive(Debug, Default)]
pub struct Lowered<'m> {
    /// A server for each listener.
    pub servers: Vec<GatewayServers<'m>>,
    /// The routes of listeners and services.
    pub routes: Vec<VirtualRoutes<'m>>,
    /// TLS towards services.
    pub backends: Vec<BackendRule<'m>>,
}

/// What lowering looks up.
#[derive(Debug)]
pub struct Context<'c, 'm, 'a> {
    mesh: &'m Mesh<'a>,
    registry: &'c Registry<'m, 'a>,
    listeners: Listeners<'m, 'a>,
    grants: Grants<'m>,
    /// The hosts of services that are none of Kubernetes, by the namespace and name of their resource.
    other_services: FxHashMap<(&'m str, &'m str), Vec<Str>>,
}

/// Lowers all resources of the Gateway API.
pub fn lower<'m, 'a>(
    mesh: &'m Mesh<'a>,
    environment: &Environment<'m, 'a>,
    registry: &Registry<'m, 'a>,
) -> Lowered<'m> {
    let context = Context {
        mesh,
        registry,
        listeners: Listeners::new(mesh),
        grants: Grants::new(mesh),
        other_services: other_services(registry),
    };
    let certificates = Certificates::new(mesh, &context.grants);
    let mut routes = merge::http_routes(&context);
    routes.extend(connections::connection_routes(&context));
    Lowered {
        servers: context.listeners.servers(mesh, environment, &certificates),
        routes,
        backends: backend_tls::backend_rules(&context),
    }
}

fn other_services<'m>(registry: &Registry<'m, '_>) -> FxHashMap<(&'m str, &'m str), Vec<Str>> {
    let mut hosts: FxHashMap<(&'m str, &'m str), Vec<Str>> = FxHashMap::default();
    let services = registry.services.iter();
    for service in services.filter(|service| matches!(service.provider, Provider::ServiceEntry(_))) {
        let key = (service.namespace, service.header.name.as_str());
        hosts.entry(key).or_default().push(service.host.clone());
    }
    hosts
}
