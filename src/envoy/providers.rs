//! Extension providers of the mesh configuration and the services behind them.

use super::World;
use super::message::Str;
use crate::model::mesh_config::ExtensionProvider;

/// The provider of this name.
pub fn provider<'m, 'a>(world: &World<'m, 'a>, name: &str) -> Option<&'m ExtensionProvider<'a>> {
    let mut providers = world.environment.config.extension_providers.iter();
    providers.find(|provider| provider.name.is_some_and(|known| known.as_str() == name))
}

/// The services behind all providers, as they are written: `host` or `namespace/host`.
pub fn services<'w>(world: &'w World<'_, '_>) -> impl Iterator<Item = &'w str> {
    let providers = world.environment.config.extension_providers.iter();
    providers.flat_map(|provider| {
        let services = [
            provider
                .envoy_ext_authz_http
                .as_ref()
                .and_then(|settings| settings.service),
            provider
                .envoy_ext_authz_grpc
                .as_ref()
                .and_then(|settings| settings.service),
            provider.zipkin.as_ref().and_then(|settings| settings.service),
            provider.lightstep.as_ref().and_then(|settings| settings.service),
            provider.datadog.as_ref().and_then(|settings| settings.service),
            provider.opencensus.as_ref().and_then(|settings| settings.service),
            provider.skywalking.as_ref().and_then(|settings| settings.service),
            provider.opentelemetry.as_ref().and_then(|settings| settings.service),
            provider.envoy_http_als.as_ref().and_then(|settings| settings.service),
            provider.envoy_tcp_als.as_ref().and_then(|settings| settings.service),
            provider.envoy_otel_als.as_ref().and_then(|settings| settings.service),
        ];
        services.into_iter().flatten().map(|service| service.as_str())
    })
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
