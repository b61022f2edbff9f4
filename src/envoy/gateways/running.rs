//! Which gateways a proxy runs, and on which ports of its own.

use smallvec::SmallVec;

use super::model::{GatewayServers, RunsOn};
use crate::envoy::World;
use crate::envoy::gateway_api::GATEWAY_NAME;
use crate::envoy::message::Str;
use crate::envoy::pods::PodGroup;

/// Numbers of ports.
pub type Numbers = SmallVec<[u32; 1]>;

/// The label of a Service whose target ports do not count.
const UNTRANSLATED: &str = "experimental.istio.io/disable-gateway-port-translation";

/// The ports of the services in front of a proxy.
#[derive(Debug, Default)]
pub struct PortMap<'w> {
    translations: Vec<Translation<'w>>,
}

/// A port of a service in front of a proxy.
#[derive(Debug)]
struct Translation<'w> {
    service: &'w Str,
    translates: bool,
    port: u32,
    target: u32,
}

/// The gateways that a proxy runs, in the order in which they are merged (catalogue: gateways, 1, 2, 6, 7).
pub fn running<'w, 'm>(
    world: &'w World<'m, '_>,
    proxy: &PodGroup<'_, '_>,
    ports: &PortMap<'w>,
) -> Vec<&'w GatewayServers<'m>> {
    let only_own = world.environment.flag("PILOT_SCOPE_GATEWAY_TO_NAMESPACE", false);
    let is_strict = world.environment.flag("PILOT_ENABLE_STRICT_GATEWAY_MERGING", true);
    let labels_stay_home = only_own || is_strict && proxy.label(GATEWAY_NAME).is_some();
    let takes = |gateway: &&GatewayServers<'m>| {
        let is_home = gateway.namespace == proxy.namespace;
        match &gateway.runs_on {
            RunsOn::Labels(labels) => {
                (is_home || !labels_stay_home)
                    && proxy.has(labels.iter().map(|(key, value)| (key.as_str(), value.as_str())))
            }
            RunsOn::Services(services) => is_home && services.iter().any(|service| ports.has(service)),
        }
    };
    world.gateways.iter().filter(takes).collect()
}

impl<'w> PortMap<'w> {
    /// The ports of the services in front of a proxy, the oldest service first, then by host (catalogue: gateways, 8 to 10).
    pub fn of<'m, 'a>(world: &'w World<'m, 'a>, proxy: &PodGroup<'m, 'a>) -> Self {
        let targets = world.backends.targets(world, proxy).into_iter();
        let translations = targets.map(|target| {
            let service = &world.registry.services[target.service];
            Translation {
                service: &service.host,
                translates: service.header.labels.get(UNTRANSLATED).is_none(),
                port: target.port.number,
                target: target.number,
            }
        });
        Self {
            translations: translations.collect(),
        }
    }

    /// Whether a Service is among them.
    fn has(&self, host: &Str) -> bool {
        self.translations.iter().any(|translation| translation.service == host)
    }

    /// The ports on which the proxy listens for a server's port (catalogue: gateways, 8 and 11).
    pub fn resolve(&self, port: u32, runs_on: &RunsOn) -> Numbers {
        let of_port = self.translations.iter().filter(|translation| translation.port == port);
        match runs_on {
            RunsOn::Labels(_) => {
                let first = of_port
                    .filter(|translation| translation.translates)
                    .map(|translation| translation.target);
                SmallVec::from_iter([first.into_iter().next().unwrap_or(port)])
            }
            RunsOn::Services(services) => {
                let mut targets: Numbers = of_port
                    .filter(|translation| services.contains(translation.service))
                    .map(|translation| translation.target)
                    .collect();
                targets.sort_unstable();
                targets.dedup();
                targets
            }
        }
    }
}
