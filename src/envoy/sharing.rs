//! One compilation for all proxies of a scope.
//!
//! What a proxy sends and what a gateway serves depends on where the proxy stands and on the few labels that some
//! resource asks for; proxies that agree on them share it. Only what arrives at a sidecar is its own.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Configuration;
use super::message::Str;
use super::pods::{PodGroup, Role};
use crate::mesh::{Mesh, ResourceId};
use crate::model::istio::{
    DestinationRule, EnvoyFilter, LocalityLoadBalancerSetting, Sidecar, Telemetry, TrafficExtension, VirtualService,
    WasmPlugin,
};
use crate::model::{Labels, Text};

/// What the shared part of a configuration depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    role: Option<Role>,
    namespace: Str,
    cluster: u16,
    network: Str,
    locality: Str,
    labels: Vec<(Str, Str)>,
    settings: Str,
    /// The workload, where nothing is shared: a gateway runs what selects it in many ways.
    alone: Option<ResourceId>,
}

type Slot = Arc<OnceLock<Arc<Configuration>>>;

/// The shared parts that were compiled so far.
#[derive(Debug, Default)]
pub struct Sharing<'a> {
    asked_labels: FxHashSet<&'a str>,
    slots: Mutex<FxHashMap<Key, Slot>>,
}

impl<'a> Sharing<'a> {
    /// Collects the labels of clients that any resource asks for.
    pub fn new(mesh: &Mesh<'a>) -> Self {
        let mut asked_labels = FxHashSet::default();
        let mut ask = |labels: &Labels<'a>| asked_labels.extend(labels.iter().map(|(key, _)| key));
        let sidecars = mesh
            .all::<Sidecar<'a>>()
            .filter_map(|sidecar| sidecar.body.workload_selector.as_ref());
        sidecars.for_each(|selector| ask(&selector.labels));
        let filters = mesh
            .all::<EnvoyFilter<'a>>()
            .filter_map(|filter| filter.body.workload_selector.as_ref());
        filters.for_each(|selector| ask(&selector.labels));
        let rules = mesh
            .all::<DestinationRule<'a>>()
            .filter_map(|rule| rule.body.workload_selector.as_ref());
        rules.for_each(|selector| ask(&selector.match_labels));
        let telemetry = mesh
            .all::<Telemetry<'a>>()
            .filter_map(|telemetry| telemetry.body.selector.as_ref());
        telemetry.for_each(|selector| ask(&selector.match_labels));
        let plugins = mesh
            .all::<WasmPlugin<'a>>()
            .filter_map(|plugin| plugin.body.selector.as_ref());
        plugins.for_each(|selector| ask(&selector.match_labels));
        let extensions = mesh
            .all::<TrafficExtension<'a>>()
            .filter_map(|extension| extension.body.selector.as_ref());
        extensions.for_each(|selector| ask(&selector.match_labels));
        for virtual_service in mesh.all::<VirtualService<'a>>() {
            let body = virtual_service.body;
            body.http
                .iter()
                .flat_map(|rule| &rule.matches)
                .for_each(|found| ask(&found.source_labels));
            body.tcp
                .iter()
                .flat_map(|rule| &rule.matches)
                .for_each(|found| ask(&found.source_labels));
            body.tls
                .iter()
                .flat_map(|rule| &rule.matches)
                .for_each(|found| ask(&found.source_labels));
        }
        let failover = mesh
            .all::<DestinationRule<'a>>()
            .flat_map(|rule| rule.body.policy_levels());
        let failover = failover.filter_map(|level| level.load_balancer?.locality_lb_setting.as_deref());
        let of_mesh = mesh.settings.config.locality_lb_setting.as_deref();
        for setting in failover.chain(of_mesh) {
            asked_labels.extend(priorities(setting));
        }
        Self {
            asked_labels,
            slots: Mutex::default(),
        }
    }

    /// The shared part of a proxy's configuration, compiled by whoever asks first.
    pub fn of(&self, proxy: &PodGroup<'_, '_>, compile: impl FnOnce() -> Configuration) -> Arc<Configuration> {
        let key = self.key(proxy);
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.entry(key).or_default().clone()
        };
        slot.get_or_init(|| Arc::new(compile())).clone()
    }

    /// The proxies of each scope. Those of gateways come first: they are told of more than others.
    pub fn scopes<'p, 'm, 'b>(
        &self,
        proxies: impl Iterator<Item = &'p PodGroup<'m, 'b>>,
    ) -> Vec<Vec<&'p PodGroup<'m, 'b>>>
    where
        'm: 'p,
        'b: 'p,
    {
        let mut places: FxHashMap<Key, usize> = FxHashMap::default();
        let mut scopes: Vec<Vec<&PodGroup<'_, '_>>> = Vec::new();
        for proxy in proxies {
            let place = *places.entry(self.key(proxy)).or_insert(scopes.len());
            if place == scopes.len() {
                scopes.push(Vec::new());
            }
            scopes[place].push(proxy);
        }
        scopes.sort_by_key(|proxies| proxies.first().map(|proxy| proxy.role == Some(Role::Sidecar)));
        scopes
    }

    fn key(&self, proxy: &PodGroup<'_, '_>) -> Key {
        let asked = |key: &str| self.asked_labels.contains(key) || is_telling(key);
        let labels = proxy.labels.iter().filter(|(key, _)| asked(key));
        let settings = proxy
            .template
            .and_then(|template| template.annotation("proxy.istio.io/config"));
        Key {
            role: proxy.role,
            namespace: Str::new(proxy.namespace),
            cluster: proxy.cluster,
            network: proxy.network.clone(),
            locality: proxy.locality_text.clone(),
            labels: labels.cloned().collect(),
            settings: settings.map_or(Str::default(), |settings| Str::new(settings.as_str())),
            alone: (proxy.role != Some(Role::Sidecar)).then_some(proxy.resource),
        }
    }
}

/// Labels by which endpoints are near or far, and those by which proxies name themselves.
fn is_telling(key: &str) -> bool {
    key.starts_with("topology.") || key.starts_with("service.istio.io/") || key == "kubernetes.io/hostname"
}

fn priorities<'a>(setting: &LocalityLoadBalancerSetting<'a>) -> Vec<&'a str> {
    let entries = setting.failover_priority.iter().map(Text::as_str);
    entries.map(|entry| entry.split('=').next().unwrap_or(entry)).collect()
}
