//! Which piece of a configuration is patched by which patches, and what follows from its going.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::Value as Json;

use super::matching::{items, text};
use super::patch::{Order, Place, Trace};
use super::{clusters, listeners, routes};
use crate::envoy::layer::{Counted, Layer};
use crate::envoy::message::{Cluster, ClusterLoadAssignment, Listener, NetworkConfig, Origin, RouteConfiguration, Str};
use crate::envoy::{Configuration, Piece};

const OF_ROUTES: [Place; 3] = [Place::RouteConfiguration, Place::VirtualHost, Place::HttpRoute];

/// Patches all pieces of a part of a configuration.
pub fn patch(order: &Order<'_, '_, '_>, configuration: &mut Configuration) {
    let asked = Asked::of(configuration);
    let listeners = std::mem::take(&mut configuration.listeners);
    configuration.listeners = change(order, Place::Listener, listeners, |piece| {
        let concerned = concerns(order, &piece);
        if concerned {
            edit(piece, |json, trace| listeners::patch(order, json, trace))
        } else {
            Some(piece)
        }
    });
    let routes = std::mem::take(&mut configuration.routes);
    configuration.routes = routes
        .into_iter()
        .filter_map(|piece| patch_routes(order, piece))
        .collect();
    let clusters = std::mem::take(&mut configuration.clusters);
    configuration.clusters = change(order, Place::Cluster, clusters, |piece| {
        let concerned = order.any_of(&[Place::Cluster]);
        if concerned {
            edit(piece, |json, trace| clusters::patch(order, json, trace))
        } else {
            Some(piece)
        }
    });
    asked.drop_orphans(configuration);
}

/// Changes pieces and puts those that patches add behind them (catalogue: policies, 59). Of one name the first stays.
fn change<T: Named + HasOrigin + Counted>(
    order: &Order<'_, '_, '_>,
    place: Place,
    pieces: Layer<T>,
    change: impl Fn(Piece<T>) -> Option<Piece<T>>,
) -> Layer<T> {
    let added = order
        .additions(place)
        .map(|(json, trace)| patched_piece(json, trace, None));
    let mut seen = FxHashSet::default();
    let all = pieces.into_iter().filter_map(change).chain(added);
    all.filter(|piece| seen.insert(name_of(piece))).collect()
}

fn patch_routes(order: &Order<'_, '_, '_>, piece: Piece<RouteConfiguration>) -> Option<Piece<RouteConfiguration>> {
    if !order.any_of(&OF_ROUTES) {
        return Some(piece);
    }
    edit(piece, |json, trace| {
        routes::patch_configuration(order, json, trace);
        true
    })
}

/// Whether a patch could change a listener, so that it is worth writing it as JSON.
fn concerns(order: &Order<'_, '_, '_>, piece: &Piece<Listener>) -> bool {
    let Piece::Made(listener) = piece else { return true };
    let chains = || {
        listener
            .filter_chains
            .iter()
            .chain(listener.default_filter_chain.as_deref())
    };
    let holds = |wanted: fn(&NetworkConfig) -> bool| {
        chains().any(|chain| {
            chain
                .filters
                .iter()
                .any(|filter| filter.typed_config.as_ref().is_some_and(wanted))
        })
    };
    let http = || holds(|config| matches!(config, NetworkConfig::Http(_)));
    let routes = || holds(|config| matches!(config, NetworkConfig::Http(manager) if manager.route_config.is_some()));
    let whole = [
        Place::Listener,
        Place::FilterChain,
        Place::NetworkFilter,
        Place::ListenerFilter,
    ];
    order.any_of(&whole) || order.any_of(&[Place::HttpFilter]) && http() || order.any_of(&OF_ROUTES) && routes()
}

/// Writes a piece as JSON for a change. It stays as it was made where nothing changes, and goes where the change says so.
fn edit<T>(piece: Piece<T>, change: impl FnOnce(&mut Json, &mut Trace) -> bool) -> Option<Piece<T>>
where
    T: Serialize + HasOrigin,
{
    let mut json = serde_json::to_value(&piece).expect("messages are JSON");
    let mut trace = Trace::default();
    let stays = change(&mut json, &mut trace);
    match (stays, trace.0.is_empty()) {
        (true, true) => Some(piece),
        (true, false) => Some(patched_piece(json, trace, Some(&piece))),
        (false, _) => None,
    }
}

fn patched_piece<T: HasOrigin>(json: Json, trace: Trace, before: Option<&Piece<T>>) -> Piece<T> {
    let mut origin = match before {
        Some(Piece::Made(made)) => made.origin().clone(),
        Some(Piece::Patched { origin, .. }) => origin.clone(),
        None => Origin::default(),
    };
    trace.0.into_iter().for_each(|span| origin.add(span));
    Piece::Patched {
        name: Str::new(text(&json, "name")),
        json: Arc::new(json),
        origin,
    }
}

fn name_of<T: Named>(piece: &Piece<T>) -> Str {
    match piece {
        Piece::Made(made) => made.name().clone(),
        Piece::Patched { name, .. } => name.clone(),
    }
}

/// What listeners and clusters ask for by name.
#[derive(Debug)]
struct Asked {
    routes: FxHashSet<Str>,
    endpoints: FxHashSet<Str>,
}

impl Asked {
    fn of(configuration: &Configuration) -> Self {
        Self {
            routes: configuration.listeners.iter().flat_map(asked_routes).collect(),
            endpoints: configuration.clusters.iter().filter_map(asked_endpoints).collect(),
        }
    }

    /// Drops what was asked for before, and is no longer.
    fn drop_orphans(&self, configuration: &mut Configuration) {
        let now = Self::of(configuration);
        configuration.routes.retain(|piece| {
            let name = name_of(piece);
            now.routes.contains(&name) || !self.routes.contains(&name)
        });
        configuration.endpoints.retain(|piece| {
            let name = name_of(piece);
            now.endpoints.contains(&name) || !self.endpoints.contains(&name)
        });
    }
}

fn asked_routes(piece: &Piece<Listener>) -> Vec<Str> {
    match piece {
        Piece::Made(listener) => {
            let chains = listener
                .filter_chains
                .iter()
                .chain(listener.default_filter_chain.as_deref());
            let configs = chains
                .flat_map(|chain| &chain.filters)
                .filter_map(|filter| filter.typed_config.as_ref());
            let names = configs.filter_map(|config| match config {
                NetworkConfig::Http(manager) => manager.rds.as_ref().map(|rds| rds.route_config_name.clone()),
                _ => None,
            });
            names.collect()
        }
        Piece::Patched { json, .. } => {
            let chains = items(json, "filterChains").iter().chain(json.get("defaultFilterChain"));
            let filters = chains.flat_map(|chain| items(chain, "filters"));
            let name = |filter: &Json| {
                filter
                    .pointer("/typedConfig/rds/routeConfigName")?
                    .as_str()
                    .map(Str::new)
            };
            filters.filter_map(name).collect()
        }
    }
}

fn asked_endpoints(piece: &Piece<Cluster>) -> Option<Str> {
    match piece {
        Piece::Made(cluster) => {
            let config = cluster.eds_cluster_config.as_ref()?;
            Some(config.service_name.clone())
        }
        Piece::Patched { json, .. } => {
            let named = json.pointer("/edsClusterConfig/serviceName").and_then(Json::as_str);
            Some(Str::new(named.unwrap_or(text(json, "name"))))
        }
    }
}

/// A message with a name.
trait Named {
    fn name(&self) -> &Str;
}

/// A message that knows where it comes from.
trait HasOrigin {
    fn origin(&self) -> &Origin;
}

impl Named for ClusterLoadAssignment {
    fn name(&self) -> &Str {
        &self.cluster_name
    }
}

macro_rules! pieces {
    ($($name:ident)*) => {$(
        impl Named for $name {
            fn name(&self) -> &Str {
                &self.name
            }
        }

        impl HasOrigin for $name {
            fn origin(&self) -> &Origin {
                &self.origin
            }
        }
    )*};
}

pieces!(Listener RouteConfiguration Cluster);
