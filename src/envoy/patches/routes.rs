//! Patches of route configurations, virtual hosts and routes.

use serde_json::Value as Json;

use super::filters::{change, change_list};
use super::matching::{fits, fits_port, items, text};
use super::patch::{Context, Operation, Order, Patch, Place, Taken, Trace};
use crate::envoy::message::Str;
use crate::model::istio::{EnvoyFilterRouteConfigurationMatchRouteMatch, VirtualHostMatch};

/// Patches a route configuration, its virtual hosts and their routes.
pub fn patch_configuration(order: &Order<'_, '_, '_>, configuration: &mut Json, trace: &mut Trace) {
    let identity = Identity::of(configuration, order.context);
    let fitting = |place: Place| -> Vec<&Taken<'_, '_, '_>> {
        order.of(place).filter(|taken| identity.fits(taken.patch)).collect()
    };
    for taken in fitting(Place::RouteConfiguration) {
        if taken.patch.operation.is_merge() {
            taken.patch.merge_into(configuration);
            trace.note(taken);
        }
    }
    let (hosts, routes) = (fitting(Place::VirtualHost), fitting(Place::HttpRoute));
    if hosts.is_empty() && routes.is_empty() {
        return;
    }
    change_list(configuration, "virtualHosts", |list| {
        let mut removed = Vec::new();
        for host in &mut *list {
            if patch_host(&hosts, host, trace) {
                patch_routes(&routes, host, trace);
            } else {
                removed.push(text(host, "name").to_owned());
            }
        }
        for taken in hosts.iter().filter(|taken| taken.patch.operation == Operation::Add) {
            list.push(taken.patch.value.clone());
            trace.note(taken);
        }
        list.retain(|host| !removed.iter().any(|name| name == text(host, "name")));
    });
}

/// What conditions on a route configuration compare.
#[derive(Debug)]
struct Identity {
    name: Str,
    ports: Vec<u64>,
    port_name: Str,
    gateway: Str,
}

impl Identity {
    fn of(configuration: &Json, context: Context) -> Self {
        let name = text(configuration, "name");
        if context == Context::Gateway {
            return Self::at_gateway(name, configuration);
        }
        let port = name
            .strip_prefix("inbound|")
            .map_or(name, |rest| rest.split('|').next().unwrap_or_default());
        Self {
            name: Str::new(name),
            ports: port.parse().into_iter().collect(),
            port_name: Str::default(),
            gateway: Str::default(),
        }
    }

    /// `http.<port of the listener>`, where the names of virtual hosts end in the ports of the servers, or
    /// `https.<port of the server>.<its name>.<gateway>.<namespace>`.
    fn at_gateway(name: &str, configuration: &Json) -> Self {
        let parts: Vec<&str> = name.split('.').collect();
        let of_hosts = items(configuration, "virtualHosts").iter().filter_map(|host| {
            let (_, port) = text(host, "name").rsplit_once(':')?;
            port.parse().ok()
        });
        let mut ports: Vec<u64> = if parts[0] == "http" {
            of_hosts.collect()
        } else {
            Vec::new()
        };
        if ports.is_empty() {
            ports.extend(parts.get(1).and_then(|port| port.parse::<u64>().ok()));
        }
        let (port_name, gateway) = match parts[..] {
            ["https", _, port_name, gateway, namespace] => {
                (Str::new(port_name), Str::from(format!("{namespace}/{gateway}")))
            }
            _ => Default::default(),
        };
        Self {
            name: Str::new(name),
            ports,
            port_name,
            gateway,
        }
    }

    fn fits(&self, patch: &Patch<'_, '_>) -> bool {
        let Some(wanted) = patch.route_configuration() else {
            return true;
        };
        let port = self.ports.iter().any(|port| fits_port(wanted.port_number, Some(*port)));
        (port || fits_port(wanted.port_number, None))
            && fits(wanted.name, &self.name)
            && fits(wanted.port_name, &self.port_name)
            && fits(wanted.gateway, &self.gateway)
    }
}

fn wanted_host<'m, 'a>(patch: &Patch<'m, 'a>) -> Option<&'m VirtualHostMatch<'a>> {
    patch.route_configuration()?.vhost.as_deref()
}

/// The route that a patch asks for.
fn wanted_route<'m, 'a>(patch: &Patch<'m, 'a>) -> Option<&'m EnvoyFilterRouteConfigurationMatchRouteMatch<'a>> {
    wanted_host(patch)?.route.as_deref()
}

fn asks_for_route(patch: &Patch<'_, '_>) -> bool {
    let waypoint = patch.matches().and_then(|matches| matches.waypoint.as_deref());
    waypoint.map_or_else(|| wanted_route(patch).is_some(), |waypoint| waypoint.route.is_some())
}

fn is_host(patch: &Patch<'_, '_>, host: &Json) -> bool {
    wanted_host(patch).is_none_or(|wanted| {
        let domain = wanted.domain_name.map_or("", |domain| domain.as_str());
        fits(wanted.name, text(host, "name"))
            && (domain.is_empty() || items(host, "domains").iter().any(|item| item == domain))
    })
}

fn is_route(patch: &Patch<'_, '_>, route: &Json) -> bool {
    let by_name = patch
        .matches()
        .and_then(|matches| matches.waypoint.as_deref()?.route.as_deref());
    by_name.is_none_or(|wanted| fits(wanted.name, text(route, "name")))
        && wanted_route(patch).is_none_or(|wanted| {
            let action = wanted.action.map_or("ANY", |action| action.as_str());
            fits(wanted.name, text(route, "name")) && is_action(action, route)
        })
}

fn is_action(action: &str, route: &Json) -> bool {
    let key = match action {
        "ROUTE" => "route",
        "REDIRECT" => "redirect",
        "DIRECT_RESPONSE" => "directResponse",
        _ => return true,
    };
    route.get(key).is_some()
}

/// Patches a virtual host; whether it stays.
fn patch_host(patches: &[&Taken<'_, '_, '_>], host: &mut Json, trace: &mut Trace) -> bool {
    for taken in patches {
        if !is_host(taken.patch, host) {
            continue;
        }
        match taken.patch.operation {
            Operation::Remove => {
                trace.note(taken);
                return false;
            }
            operation if operation.is_merge() => taken.patch.merge_into(host),
            Operation::Replace => *host = taken.patch.value.clone(),
            _ => continue,
        }
        trace.note(taken);
    }
    true
}

/// Patches the routes of a virtual host: those that are there, then those that are inserted (catalogue: policies, 58).
fn patch_routes(patches: &[&Taken<'_, '_, '_>], host: &mut Json, trace: &mut Trace) {
    let patches: Vec<_> = patches.iter().filter(|taken| is_host(taken.patch, host)).collect();
    if patches.is_empty() {
        return;
    }
    change_list(host, "routes", |routes| {
        routes.retain_mut(|route| patches.iter().all(|taken| patch_route(taken, route, trace)));
        for taken in patches {
            let asks = asks_for_route(taken.patch);
            if insert_route(taken.patch, asks, routes) {
                trace.note(taken);
            }
        }
    });
}

/// Inserts a route; whether the place for it was found. One that goes first goes before all, if there is what it asks for.
fn insert_route(patch: &Patch<'_, '_>, asks: bool, routes: &mut Vec<Json>) -> bool {
    match patch.operation {
        Operation::InsertFirst if asks && !routes.iter().any(|route| is_route(patch, route)) => false,
        Operation::InsertFirst => change(routes, patch, false, |_| false),
        Operation::Add | Operation::InsertBefore | Operation::InsertAfter => {
            change(routes, patch, asks, |route| is_route(patch, route))
        }
        _ => false,
    }
}

/// Patches a route; whether it stays.
fn patch_route(taken: &Taken<'_, '_, '_>, route: &mut Json, trace: &mut Trace) -> bool {
    if !is_route(taken.patch, route) {
        return true;
    }
    match taken.patch.operation {
        operation if operation.is_merge() => taken.patch.merge_into(route),
        Operation::Remove => {
            trace.note(taken);
            return false;
        }
        _ => return true,
    }
    trace.note(taken);
    true
}
