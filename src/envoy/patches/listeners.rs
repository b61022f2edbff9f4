//! Patches of listeners and their chains.

use serde_json::Value as Json;

use super::filters::{Around, change_list, patch_chain, patch_list};
use super::matching::{is_chain, is_listener, text};
use super::merge::merge_typed;
use super::patch::{Operation, Order, Patch, Place, Taken, Trace};

const CHAINS: [&str; 2] = ["filterChains", "defaultFilterChain"];

/// Patches a listener; whether it stays.
pub fn patch(order: &Order<'_, '_, '_>, listener: &mut Json, trace: &mut Trace) -> bool {
    for taken in order.of(Place::Listener) {
        if !is_listener(taken.patch, listener) {
            continue;
        }
        match taken.patch.operation {
            Operation::Remove => {
                trace.note(taken);
                return false;
            }
            operation if operation.is_merge() => {
                taken.patch.merge_into(listener);
                trace.note(taken);
            }
            _ => {}
        }
    }
    patch_listener_filters(order, listener, trace);
    patch_chains(order, listener, trace);
    true
}

fn patch_listener_filters(order: &Order<'_, '_, '_>, listener: &mut Json, trace: &mut Trace) {
    let fits = |taken: &&Taken<'_, '_, '_>| is_listener(taken.patch, listener);
    let patches: Vec<_> = order.of(Place::ListenerFilter).filter(fits).collect();
    if patches.is_empty() {
        return;
    }
    change_list(listener, "listenerFilters", |filters| {
        patch_list(&patches, filters, trace, wanted_listener_filter);
    });
}

fn wanted_listener_filter<'a>(patch: &Patch<'_, 'a>) -> Option<&'a str> {
    let name = patch.listener()?.listener_filter?;
    Some(name.as_str()).filter(|name| !name.is_empty())
}

fn remove(message: &mut Json, key: &str) -> Option<Json> {
    message.as_object_mut()?.shift_remove(key)
}

/// Takes the chains out of the listener, patches them beside it, and puts back those that stay.
fn patch_chains(order: &Order<'_, '_, '_>, listener: &mut Json, trace: &mut Trace) {
    let [mut chains, mut default] = CHAINS.map(|key| remove(listener, key));
    let around = Around { order, listener };
    if let Some(Json::Array(chains)) = &mut chains {
        chains.retain_mut(|chain| patch_one(around, chain, trace));
    }
    if default.as_mut().is_some_and(|chain| !patch_one(around, chain, trace)) {
        default = None;
    }
    let adds = order
        .of(Place::FilterChain)
        .filter(|taken| taken.patch.operation == Operation::Add);
    let adds = adds.filter(|taken| taken.patch.value.get("filters").is_some());
    for taken in adds.filter(|taken| is_listener(taken.patch, listener)) {
        trace.note(taken);
        let list = chains.get_or_insert_with(|| Json::Array(Vec::new())).as_array_mut();
        list.into_iter().for_each(|list| list.push(taken.patch.value.clone()));
    }
    for (key, chains) in CHAINS.into_iter().zip([chains, default]) {
        if let (Some(fields), Some(chains)) = (listener.as_object_mut(), chains) {
            fields.insert(key.to_owned(), chains);
        }
    }
}

/// Patches a chain; whether it stays. One without filters goes.
fn patch_one(around: Around<'_, '_, '_, '_>, chain: &mut Json, trace: &mut Trace) -> bool {
    if chain.get("filters").is_none() {
        return false;
    }
    for taken in around.order.of(Place::FilterChain) {
        if !is_listener(taken.patch, around.listener) || !is_chain(taken.patch, around.listener, chain) {
            continue;
        }
        match taken.patch.operation {
            Operation::Remove => {
                trace.note(taken);
                return false;
            }
            operation if operation.is_merge() => {
                merge_chain(taken.patch, chain);
                trace.note(taken);
            }
            _ => {}
        }
    }
    patch_chain(around, chain, trace);
    true
}

/// Merges into a chain. Where both have a transport socket of the same name, only its settings are merged.
fn merge_chain(patch: &Patch<'_, '_>, chain: &mut Json) {
    match (chain.get_mut("transportSocket"), patch.value.get("transportSocket")) {
        (Some(old), Some(new)) if text(old, "name") == text(new, "name") => merge_socket(old, new),
        _ => patch.merge_into(chain),
    }
}

/// Merges the settings of a transport socket into those of another.
pub fn merge_socket(old: &mut Json, new: &Json) {
    if let (Some(old), Some(new)) = (old.get_mut("typedConfig"), new.get("typedConfig")) {
        merge_typed(old, new);
    }
}
