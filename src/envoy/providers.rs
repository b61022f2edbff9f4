//! Extension providers of the mesh configuration and the services behind them.

use super::World;
use super::message::Str;
use crate::model::mesh_config::ExtensionProvider;

/// The provider of this name.
pub fn provider<'m, 'a>(world: &World<'m, 'a>, name: &str) -> Option<&'m ExtensionProvider<'a>> {
    let mut providers = world.environment.config.extension_providers.iter();
    providers.find(|provider| provider.name.is_some_and(|known| known.as_str() == name))
}

/// The host of a service and the cluster that leads to its port. The service is a host, or `namespace/host`; a host that
/// several namespaces define is none.
pub fn cluster_of(world: &World<'_, '_>, service: &str, port: i64) -> Option<(Str, Str)> {
    let (namespace, host) = match service.split_once('/') {
        Some((namespace, host)) => (Some(namespace), host),
        None => (None, service),
    };
    let services = &world.registry.services;
    let mut candidates = (world.registry.of_host(host).iter())
        .map(|id| &services[*id])
        .filter(|service| namespace.is_none_or(|namespace| service.namespace == namespace));
    let found = candidates.next()?;
    if candidates.any(|other| other.namespace != found.namespace) {
        return None;
    }
    Some((
        found.host.clone(),
        Str::from(format!("outbound|{port}||{}", found.host)),
    ))
}
