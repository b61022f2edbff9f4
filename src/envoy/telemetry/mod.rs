//! Access logs, traces and metrics of a proxy: Telemetry resources over the mesh configuration.

mod formats;
mod loggers;
mod logs;
mod metrics;
mod tracers;
mod traces;

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

pub use traces::{Trace, Traces};

use super::World;
use super::message::{AccessLog, Filter, HttpFilter, Json, Str};
use super::pods::Role;
use super::policies::{Attached, Target};
use crate::mesh::ResourceId;
use crate::model::istio::Telemetry;

/// The kind of traffic that a listener carries. A waypoint's is inbound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// To the workload.
    Inbound,
    /// From the workload.
    Outbound,
    /// Through a gateway.
    Gateway,
}

/// What is told of a target's traffic. Targets with the same Telemetry resources share it.
#[derive(Clone, Debug)]
pub struct Signals(Arc<[Side; 3]>);

/// What is told of one class of traffic.
#[derive(Debug)]
struct Side {
    logs: logs::Logs,
    traces: Traces,
    stats: Vec<Json>,
}

/// The signals that were worked out already, by the Telemetry resources they follow from.
#[derive(Debug, Default)]
pub struct Known(Mutex<FxHashMap<(Vec<ResourceId>, bool), Signals>>);

impl Signals {
    /// The signals of a target.
    pub fn of(world: &World<'_, '_>, target: &Target<'_>) -> Self {
        let attached = applicable(world, target);
        let key = (
            attached.iter().map(|attached| attached.object.id).collect(),
            target.role == Role::Waypoint,
        );
        let mut known = world.policies.signals.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(key)
            .or_insert_with(|| Self::compile(world, target, &attached))
            .clone()
    }

    fn compile(world: &World<'_, '_>, target: &Target<'_>, attached: &[&Attached<'_, '_, Telemetry<'_>>]) -> Self {
        let telemetry: Vec<&Telemetry<'_>> = attached.iter().map(|attached| attached.object.body).collect();
        let side = |class| Side {
            logs: logs::Logs::of(world, &telemetry, class),
            traces: traces::traces(world, &telemetry, class),
            stats: metrics::stats(world, &telemetry, class, target.role),
        };
        Self(Arc::new([
            side(Class::Inbound),
            side(Class::Outbound),
            side(Class::Gateway),
        ]))
    }

    fn side(&self, class: Class) -> &Side {
        &self.0[class as usize]
    }

    /// The access logs of HTTP connection managers.
    pub fn http_access_logs(&self, class: Class) -> Vec<AccessLog> {
        self.side(class).logs.http.clone()
    }

    /// The access logs of TCP proxies.
    pub fn tcp_access_logs(&self, class: Class) -> Vec<AccessLog> {
        self.side(class).logs.tcp.clone()
    }

    /// The access logs of listeners: of connections that find no chain.
    pub fn listener_access_logs(&self, class: Class) -> Vec<AccessLog> {
        self.side(class).logs.listener.clone()
    }

    /// Which traces HTTP connection managers take part in.
    pub fn traces(&self, class: Class) -> &Traces {
        &self.side(class).traces
    }

    /// `istio.stats` of HTTP chains.
    pub fn http_stats(&self, class: Class) -> Vec<HttpFilter> {
        let configs = self.side(class).stats.iter();
        configs.map(|config| HttpFilter::json(STATS, config.clone())).collect()
    }

    /// `istio.stats` of TCP chains.
    pub fn tcp_stats(&self, class: Class) -> Vec<Filter> {
        let configs = self.side(class).stats.iter();
        configs.map(|config| Filter::json(STATS, config.clone())).collect()
    }
}

const STATS: Str = Str::new_static("istio.stats");

/// The Telemetry resources of a target, the widest first: the oldest of the root namespace and of its own without a
/// selector, then all that choose the target (catalogue: policies, 47).
fn applicable<'w, 'm, 'a>(world: &'w World<'m, 'a>, target: &Target<'_>) -> Vec<&'w Attached<'m, 'a, Telemetry<'a>>> {
    let root = world.mesh.settings.root_namespace.as_str();
    let own = world.policies.telemetry.of_namespace(target.namespace);
    let is_wide = |attached: &&Attached<'m, 'a, Telemetry<'a>>| attached.targets.is_whole_namespace();
    let of_root = world.policies.telemetry.of_namespace(root).iter().find(is_wide);
    let of_own = own.iter().find(is_wide).filter(|_| target.namespace != root);
    let chosen = own
        .iter()
        .filter(|attached| !is_wide(attached) && target.takes(world, attached.object.header, attached.targets));
    let foreign = target.service.map(|service| service.namespace);
    let foreign = foreign.filter(|namespace| *namespace != target.namespace);
    let of_service = foreign.map_or(&[][..], |namespace| world.policies.telemetry.of_namespace(namespace));
    let of_service = of_service
        .iter()
        .filter(|attached| !is_wide(attached) && target.takes(world, attached.object.header, attached.targets));
    of_root
        .into_iter()
        .chain(of_own)
        .chain(chosen)
        .chain(of_service)
        .collect()
}

/// Whether a `match` with this mode speaks of a class of traffic.
pub fn speaks_of(mode: Option<&str>, class: Class) -> bool {
    match mode {
        Some("CLIENT") => class != Class::Inbound,
        Some("SERVER") => class == Class::Inbound,
        _ => true,
    }
}
