//! Patches of clusters.

use serde_json::Value as Json;

use super::listeners::merge_socket;
use super::matching::{fits, fits_port, items, text};
use super::patch::{Operation, Order, Patch, Place, Trace};

/// Patches a cluster; whether it stays.
pub fn patch(order: &Order<'_, '_, '_>, cluster: &mut Json, trace: &mut Trace) -> bool {
    let fitting: Vec<_> = order
        .of(Place::Cluster)
        .filter(|taken| is_cluster(taken.patch, cluster))
        .collect();
    if let Some(removal) = fitting.iter().find(|taken| taken.patch.operation == Operation::Remove) {
        trace.note(removal);
        return false;
    }
    for taken in fitting.iter().filter(|taken| taken.patch.operation.is_merge()) {
        merge_cluster(taken.patch, cluster);
        trace.note(taken);
    }
    true
}

fn is_cluster(patch: &Patch<'_, '_>, cluster: &Json) -> bool {
    let Some(wanted) = patch.matches().and_then(|matches| matches.cluster.as_deref()) else {
        return true;
    };
    let name = text(cluster, "name");
    if let Some(wanted) = wanted.name.filter(|wanted| !wanted.as_str().is_empty()) {
        return wanted.as_str() == name;
    }
    let parts: Vec<&str> = name.split('|').collect();
    let [direction, port, subset, host] = parts[..] else {
        return fits(wanted.subset, "") && fits(wanted.service, "") && fits_port(wanted.port_number, None);
    };
    let is_host = fits(wanted.service, host) || direction == "inbound" && serves(cluster, wanted.service);
    fits(wanted.subset, subset) && is_host && fits_port(wanted.port_number, port.parse().ok())
}

/// Whether a cluster stands for a service, as its metadata tells.
fn serves(cluster: &Json, service: Option<crate::model::Text<'_>>) -> bool {
    let istio = cluster.pointer("/metadata/filterMetadata/istio").unwrap_or(&Json::Null);
    items(istio, "services")
        .iter()
        .any(|of| fits(service, text(of, "host")))
}

/// Merges into a cluster. A transport socket goes into the one of the same name, and then nothing else is merged; where the
/// cluster chooses between several and none has the name, nothing is merged at all.
fn merge_cluster(patch: &Patch<'_, '_>, cluster: &mut Json) {
    let Some(socket) = patch.value.get("transportSocket") else {
        return patch.merge_into(cluster);
    };
    let same = |old: &&mut Json| text(old, "name") == text(socket, "name");
    let choices = cluster.get_mut("transportSocketMatches").and_then(Json::as_array_mut);
    if let Some(choices) = choices.filter(|choices| !choices.is_empty()) {
        let mut sockets = choices
            .iter_mut()
            .filter_map(|choice| choice.get_mut("transportSocket"));
        if let Some(old) = sockets.find(same) {
            merge_socket(old, socket);
        }
        return;
    }
    match cluster.get_mut("transportSocket").filter(same) {
        Some(old) => merge_socket(old, socket),
        None => {
            if let Some(fields) = cluster.as_object_mut() {
                fields.insert("transportSocket".to_owned(), socket.clone());
            }
        }
    }
}
