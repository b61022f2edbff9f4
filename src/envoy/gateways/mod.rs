//! Gateways: those of Istio's API, of the Gateway API and of Ingresses in one model, and what becomes of them at a proxy.

mod auto_passthrough;
mod ingress;
mod istio;
mod listeners;
mod merge;
pub mod model;
mod referenced;
mod routes;
mod running;
mod tcp;
pub mod tls;
mod unused;
mod virtual_hosts;

use rustc_hash::FxHashMap;

use super::environment::Environment;
use super::filters::Filters;
use super::pods::{PodGroup, Role};
use super::routing::Reached;
use super::scope::Scope;
use super::{Configuration, World};
use crate::mesh::Mesh;
pub use ingress::routes as ingress_routes;
use listeners::Chains;
use merge::Merged;
use model::{GatewayServers, ServerTls};
pub use referenced::referenced_hosts;
use routes::RouteMaker;
use running::{PortMap, running};

/// All gateways of a mesh, by age, then name, then namespace: the order in which they are merged. Takes those that come
/// from elsewhere.
pub fn gateways<'m, 'a>(
    mesh: &'m Mesh<'a>,
    environment: &Environment<'m, 'a>,
    others: Vec<GatewayServers<'m>>,
) -> Vec<GatewayServers<'m>> {
    let mut all = istio::gateways(mesh, environment);
    all.extend(ingress::gateways(mesh));
    all.extend(others);
    all.sort_by(|a, b| (a.created, &a.name, a.namespace).cmp(&(b.created, &b.name, b.namespace)));
    all
}

/// Whether a proxy runs a server that passes connections on to the cluster that their SNI names.
pub fn passes_by_sni<'m, 'a>(world: &World<'m, 'a>, proxy: &PodGroup<'m, 'a>) -> bool {
    let ports = PortMap::of(world, proxy);
    let servers = running(world, proxy, &ports)
        .into_iter()
        .flat_map(|gateway| &gateway.servers);
    proxy.role == Some(Role::Gateway)
        && servers
            .into_iter()
            .any(|server| server.tls == ServerTls::AutoPassthrough)
}

/// Adds the listeners and route configurations of a gateway.
pub fn compile<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    scope: &Scope,
    configuration: &mut Configuration,
) {
    let ports = PortMap::of(world, proxy);
    let gateways = running(world, proxy, &ports);
    if gateways.is_empty() {
        return;
    }
    let mut merged = Merged::of(&gateways, &ports);
    configuration.unused.append(&mut merged.unused);
    configuration.unused.extend(unused::unused(world, proxy, &gateways));
    let filters = Filters::new(world, proxy);
    let mut chains = Chains {
        world,
        filters: &filters,
        scope,
        passed: FxHashMap::default(),
        unused: Vec::new(),
    };
    let made = listeners::listeners(&mut chains, &merged);
    configuration.unused.append(&mut chains.unused);
    configuration.listeners.add_all(made);
    let maker = RouteMaker {
        world,
        proxy,
        scope,
        counts_attempts: filters.settings.headers.attempt_count,
    };
    let mut reached = Reached::default();
    let made = maker.all(&merged, &mut reached);
    configuration.routes.add_all(made);
    configuration.unused.extend(reached.unused());
}
