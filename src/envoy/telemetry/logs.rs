//! Which access logs are written: the providers that Telemetry resources name, else the file of the mesh configuration.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Class, loggers, speaks_of};
use crate::envoy::World;
use crate::envoy::message::{AccessLog, Json};
use crate::model::Text;
use crate::model::istio::{AccessLogging, ProviderRef, Telemetry};

/// The access logs of one class of traffic.
#[derive(Debug, Default)]
pub(super) struct Logs {
    pub(super) http: Vec<AccessLog>,
    pub(super) tcp: Vec<AccessLog>,
    pub(super) listener: Vec<AccessLog>,
}

/// What a provider does.
#[derive(Clone, Copy, Debug, Default)]
struct Order<'t> {
    filter: Option<&'t str>,
    disabled: bool,
}

impl Logs {
    /// The logs of a target with these resources.
    pub(super) fn of(world: &World<'_, '_>, telemetry: &[&Telemetry<'_>], class: Class) -> Self {
        let config = world.environment.config;
        let orders = orders(world, telemetry, class);
        let known: Vec<(AccessLog, Order<'_>)> = (orders.into_iter())
            .filter_map(|(name, order)| Some((loggers::logger(world, name)?, order)))
            .collect();
        let silent = config.disable_envoy_listener_log.is_some_and(|flag| flag.value);
        let mut logs = if known.is_empty() {
            Self::of_mesh(world)
        } else {
            Self::ordered(known)
        };
        if silent {
            logs.listener.clear();
        }
        logs
    }

    fn ordered(known: Vec<(AccessLog, Order<'_>)>) -> Self {
        let written = known.into_iter().filter(|(_, order)| !order.disabled);
        let mut logs = Self::default();
        for (log, order) in written {
            let expression = order.filter.map(loggers::expression);
            let filtered = AccessLog {
                filter: expression.clone().map(Arc::new),
                ..log.clone()
            };
            logs.http.push(filtered.clone());
            logs.tcp.push(filtered);
            logs.listener.push(AccessLog {
                filter: Some(no_chain(expression)),
                ..log
            });
        }
        logs
    }

    /// `accessLogFile` and `enableEnvoyAccessLogService`
    fn of_mesh(world: &World<'_, '_>) -> Self {
        let config = world.environment.config;
        let path = config.access_log_file.filter(|path| !path.is_empty());
        let file = path.map(|path| loggers::mesh_file(config, path.as_str()));
        let service = config.enable_envoy_access_log_service.is_some_and(|flag| flag.value);
        let of = |kind| -> Vec<AccessLog> {
            let service = service.then(|| loggers::mesh_service(kind));
            file.clone().into_iter().chain(service).collect()
        };
        let mut listener = of("tcp");
        for log in &mut listener {
            log.filter = Some(no_chain(None));
        }
        Self {
            http: of("http"),
            tcp: of("tcp"),
            listener,
        }
    }
}

/// Only connections that find no chain, and of those only what the expression chooses.
fn no_chain(expression: Option<Value>) -> Json {
    let no_route = json!({"responseFlagFilter": {"flags": ["NR"]}});
    Arc::new(match expression {
        None => no_route,
        Some(expression) => json!({"andFilter": {"filters": [no_route, expression]}}),
    })
}

/// What each provider shall do, by name. The narrowest resource that names providers decides which there are; each block
/// without names repeats those before it (catalogue: policies, 48).
fn orders<'t>(world: &'t World<'_, '_>, telemetry: &[&'t Telemetry<'_>], class: Class) -> BTreeMap<&'t str, Order<'t>> {
    let defaults: Vec<&str> = (world.environment.config.default_providers.as_deref())
        .map_or(&[][..], |defaults| &defaults.access_logging)
        .iter()
        .map(Text::as_str)
        .collect();
    let levels: Vec<&[AccessLogging<'_>]> = (telemetry.iter())
        .map(|telemetry| telemetry.access_logging.as_slice())
        .filter(|blocks| !blocks.is_empty())
        .collect();
    if levels.is_empty() {
        return defaults.into_iter().map(|name| (name, Order::default())).collect();
    }
    let (in_scope, filters) = scope(&levels, class, &defaults);
    let mut orders = BTreeMap::new();
    let mut inherited = defaults;
    for block in levels.into_iter().flatten() {
        let named = names(&block.providers);
        if !named.is_empty() {
            inherited = named;
        }
        if !speaks_of(mode(block), class) {
            continue;
        }
        for name in inherited.iter().filter(|name| in_scope.contains(name)) {
            let order = Order {
                filter: filters.get(name).copied().flatten(),
                disabled: block.disabled.is_some_and(|disabled| disabled.value),
            };
            orders.insert(*name, order);
        }
    }
    orders
}

/// The providers of the narrowest resource that names some, and the filter that each was named with last.
fn scope<'t>(
    levels: &[&'t [AccessLogging<'_>]],
    class: Class,
    defaults: &[&'t str],
) -> (Vec<&'t str>, BTreeMap<&'t str, Option<&'t str>>) {
    let mut in_scope = defaults.to_vec();
    let mut filters = BTreeMap::new();
    for level in levels {
        let blocks = level.iter().filter(|block| speaks_of(mode(block), class));
        let mut named_here = Vec::new();
        for block in blocks {
            let filter = block.filter.as_ref().and_then(|filter| filter.expression);
            let filter = filter
                .map(|expression| expression.as_str())
                .filter(|expression| !expression.is_empty());
            for name in names(&block.providers) {
                filters.insert(name, filter);
                named_here.push(name);
            }
        }
        if !named_here.is_empty() {
            in_scope = named_here;
        }
    }
    (in_scope, filters)
}

fn mode<'t>(block: &'t AccessLogging<'_>) -> Option<&'t str> {
    block.matches.as_ref()?.mode.map(|mode| mode.as_str())
}

/// The names of providers.
pub(super) fn names<'t>(providers: &'t [ProviderRef<'_>]) -> Vec<&'t str> {
    let names = providers.iter().filter_map(|provider| provider.name);
    names.map(|name| name.as_str()).collect()
}
