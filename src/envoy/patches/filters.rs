//! Patches of lists of named things: filters of a chain, HTTP filters of a connection manager, listener filters.

use serde_json::Value as Json;

use super::matching::{Named, is_chain, is_filter, is_listener, text};
use super::merge::merge_typed;
use super::patch::{Operation, Order, Patch, Place, Taken, Trace};
use super::routes;

const HTTP: &str = "envoy.filters.network.http_connection_manager";

/// What stands around the filters of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Around<'s, 'p, 'm, 'a> {
    /// The patches.
    pub order: &'s Order<'p, 'm, 'a>,
    /// The listener, its chains left out.
    pub listener: &'s Json,
}

impl<'s, 'p, 'm, 'a> Around<'s, 'p, 'm, 'a> {
    fn of_chain(&self, place: Place, chain: &Json) -> Vec<&'s Taken<'p, 'm, 'a>> {
        let fits = |taken: &&Taken<'p, 'm, 'a>| {
            is_listener(taken.patch, self.listener) && is_chain(taken.patch, self.listener, chain)
        };
        self.order.of(place).filter(fits).collect()
    }
}

/// Patches the filters of a chain; merges come after everything else (catalogue: policies, 55).
pub fn patch_chain(around: Around<'_, '_, '_, '_>, chain: &mut Json, trace: &mut Trace) {
    let network = around.of_chain(Place::NetworkFilter, chain);
    let http = around.of_chain(Place::HttpFilter, chain);
    let Some(filters) = chain.get_mut("filters").and_then(Json::as_array_mut) else {
        return;
    };
    patch_list(&network, filters, trace, |patch| Named::of(patch).network);
    for filter in filters {
        let merges = network.iter().filter(|taken| taken.patch.operation.is_merge());
        for taken in merges {
            let wanted = Named::of(taken.patch).network;
            if wanted.is_none_or(|wanted| is_filter(wanted, filter)) && merge_filter(filter, taken.patch) {
                trace.note(taken);
            }
        }
        if text(filter, "name") == HTTP {
            patch_manager(around, &http, filter, trace);
        }
    }
}

/// Patches what is in an HTTP connection manager: its filters, and routes that it holds itself.
fn patch_manager(around: Around<'_, '_, '_, '_>, http: &[&Taken<'_, '_, '_>], filter: &mut Json, trace: &mut Trace) {
    let at_manager = |taken: &&&Taken<'_, '_, '_>| {
        Named::of(taken.patch)
            .network
            .is_none_or(|wanted| is_filter(wanted, filter))
    };
    let http: Vec<&Taken<'_, '_, '_>> = http.iter().filter(at_manager).copied().collect();
    let Some(manager) = filter.get_mut("typedConfig") else {
        return;
    };
    if let Some(configuration) = manager.get_mut("routeConfig") {
        routes::patch_configuration(around.order, configuration, trace);
    }
    if http.is_empty() {
        return;
    }
    change_list(manager, "httpFilters", |filters| {
        patch_list(&http, filters, trace, |patch| Named::of(patch).http);
        merge_filters(&http, filters, trace);
    });
}

fn merge_filters(patches: &[&Taken<'_, '_, '_>], filters: &mut [Json], trace: &mut Trace) {
    for taken in patches.iter().filter(|taken| taken.patch.operation.is_merge()) {
        let wanted = Named::of(taken.patch).http;
        for filter in &mut *filters {
            if wanted.is_none_or(|wanted| is_filter(wanted, filter)) && merge_filter(filter, taken.patch) {
                trace.note(taken);
            }
        }
    }
}

/// Changes a list field; one that is not set is an empty list, and an empty one is not set.
pub fn change_list(message: &mut Json, key: &str, change: impl FnOnce(&mut Vec<Json>)) {
    let Some(fields) = message.as_object_mut() else { return };
    let mut list = match fields.remove(key) {
        Some(Json::Array(list)) => list,
        _ => Vec::new(),
    };
    change(&mut list);
    if !list.is_empty() {
        fields.insert(key.to_owned(), Json::Array(list));
    }
}

/// Of a filter that has a configuration that one is merged, and the name is replaced.
fn merge_filter(filter: &mut Json, patch: &Patch<'_, '_>) -> bool {
    let Some(into) = filter.get_mut("typedConfig") else {
        return false;
    };
    if let Some(from) = patch.value.get("typedConfig") {
        merge_typed(into, from);
    }
    if let Some(name) = patch.value.get("name") {
        filter["name"] = name.clone();
    }
    true
}

/// Adds, removes and replaces filters. `named` is the name that a patch asks for.
pub fn patch_list<'a>(
    patches: &[&Taken<'_, '_, 'a>],
    list: &mut Vec<Json>,
    trace: &mut Trace,
    named: impl Fn(&Patch<'_, 'a>) -> Option<&'a str>,
) {
    for taken in patches {
        let wanted = named(taken.patch);
        let first = if taken.patch.operation == Operation::InsertFirst {
            None
        } else {
            wanted
        };
        if change(list, taken.patch, first.is_some(), |filter| {
            wanted.is_some_and(|wanted| is_filter(wanted, filter))
        }) {
            trace.note(taken);
        }
    }
}

/// Carries out an operation on a list; whether it changed anything. Where the patch asks for nothing in the list, before
/// means first and after means last (catalogue: policies, 55).
pub fn change(list: &mut Vec<Json>, patch: &Patch<'_, '_>, asks: bool, is: impl Fn(&Json) -> bool) -> bool {
    let value = || patch.value.clone();
    let found = || list.iter().position(&is);
    let place = match patch.operation {
        Operation::Merge | Operation::MergeAndReplaceList => None,
        Operation::Add => Some(list.len()),
        Operation::InsertFirst | Operation::InsertBefore if !asks => Some(0),
        Operation::InsertAfter if !asks => Some(list.len()),
        Operation::InsertFirst | Operation::InsertBefore => found(),
        Operation::InsertAfter => found().map(|place| place + 1),
        Operation::Remove => {
            let before = list.len();
            list.retain(|item| !(asks && is(item)));
            return list.len() < before;
        }
        Operation::Replace => {
            let first = list.iter_mut().find(|item| asks && is(item));
            return first.map(|item| *item = value()).is_some();
        }
    };
    if let Some(place) = place {
        list.insert(place, value());
    }
    place.is_some()
}
