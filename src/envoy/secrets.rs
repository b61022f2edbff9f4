//! The names of the secrets that listeners and clusters ask for.

use std::collections::BTreeSet;

use serde_json::Value;

use super::message::{Cluster, CommonTlsContext, Listener, SdsSecretConfig, Str, TransportConfig, TransportSocket};
use super::{Configuration, Piece};

/// The names, sorted. istiod does not look into a socket around another one.
pub fn names(configuration: &Configuration) -> Vec<Str> {
    let mut names = BTreeSet::new();
    for listener in &configuration.listeners {
        match listener {
            Piece::Made(listener) => of_listener(listener, &mut names),
            Piece::Patched { json, .. } => of_json(json, &mut names),
        }
    }
    for cluster in &configuration.clusters {
        match cluster {
            Piece::Made(cluster) => of_cluster(cluster, &mut names),
            Piece::Patched { json, .. } => of_json(json, &mut names),
        }
    }
    names.into_iter().collect()
}

fn of_listener(listener: &Listener, names: &mut BTreeSet<Str>) {
    let chains = listener
        .filter_chains
        .iter()
        .chain(listener.default_filter_chain.as_deref());
    let sockets = chains.filter_map(|chain| chain.transport_socket.as_ref());
    sockets.for_each(|socket| of_socket(socket, names));
}

fn of_cluster(cluster: &Cluster, names: &mut BTreeSet<Str>) {
    let matched = cluster
        .transport_socket_matches
        .iter()
        .map(|entry| &entry.transport_socket);
    let sockets = cluster.transport_socket.iter().chain(matched);
    sockets.for_each(|socket| of_socket(socket, names));
}

fn of_socket(socket: &TransportSocket, names: &mut BTreeSet<Str>) {
    match &socket.typed_config {
        Some(TransportConfig::Downstream(context)) => of_context(&context.common_tls_context, names),
        Some(TransportConfig::Upstream(context)) => of_context(&context.common_tls_context, names),
        _ => {}
    }
}

fn of_context(context: &CommonTlsContext, names: &mut BTreeSet<Str>) {
    let certificates = context.tls_certificate_sds_secret_configs.iter();
    let authorities = context.combined_validation_context.iter();
    let authorities = authorities.map(|authorities| &authorities.validation_context_sds_secret_config);
    let all = certificates.chain(authorities);
    for SdsSecretConfig { name, .. } in all {
        if !names.contains(name) {
            names.insert(name.clone());
        }
    }
}

/// What patches made: wherever a secret is named beside its source.
fn of_json(value: &Value, names: &mut BTreeSet<Str>) {
    match value {
        Value::Object(fields) => {
            if let (Some(Value::String(name)), true) = (fields.get("name"), fields.contains_key("sdsConfig")) {
                names.insert(Str::from(name.as_str()));
            }
            fields.values().for_each(|field| of_json(field, names));
        }
        Value::Array(items) => items.iter().for_each(|item| of_json(item, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn patched_pieces_are_read_as_they_are() {
        let json = json!({"transportSocket": {"commonTlsContext": {"tlsCertificateSdsSecretConfigs": [
            {"name": "kubernetes://own", "sdsConfig": {"ads": {}}},
        ]}}, "name": "web"});
        let mut names = BTreeSet::new();
        of_json(&json, &mut names);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["kubernetes://own"]);
    }
}
