//! The table of clusters.

use serde_json::Value as Json;

use super::fields::{credited, text};
use super::json;
use super::table::{Table, place};
use crate::envoy::Piece;
use crate::envoy::message::{Cluster, Origin};
use crate::source::Sources;

/// Clusters in the order of their services.
pub fn table(sources: &Sources, clusters: &[Piece<Cluster>]) -> Table {
    let mut table = Table::new(&[
        "SERVICE FQDN",
        "PORT",
        "SUBSET",
        "DIRECTION",
        "TYPE",
        "DESTINATION RULE",
        "ORIGIN",
    ]);
    for piece in clusters {
        let cluster = json(piece);
        let [host, port, subset, direction] = name(text(&cluster, "/name"));
        table.row(vec![
            host.to_owned(),
            port.to_owned(),
            subset.to_owned(),
            direction.to_owned(),
            kind(&cluster).to_owned(),
            credited(&cluster, "destination-rule"),
            place(sources, origin(piece)),
        ]);
    }
    table.sort_by_key(|row| (row[0].clone(), row[2].clone(), row[1].parse::<u32>().unwrap_or(0)));
    table
}

fn origin(piece: &Piece<Cluster>) -> &Origin {
    match piece {
        Piece::Made(cluster) => &cluster.origin,
        Piece::Patched { origin, .. } => origin,
    }
}

/// Host, port, subset and direction of `outbound|80|v2|web.shop.svc.cluster.local`; other names stand for themselves.
fn name<'n>(name: &'n str) -> [&'n str; 4] {
    let or_dash = |text: &'n str| if text.is_empty() { "-" } else { text };
    match name.split('|').collect::<Vec<_>>()[..] {
        [direction, port, subset, host] => [host, port, or_dash(subset), direction],
        _ => [name, "-", "-", "-"],
    }
}

fn kind(cluster: &Json) -> &str {
    match (text(cluster, "/type"), text(cluster, "/clusterType/name")) {
        ("", "") => "STATIC",
        ("", custom) => custom,
        (kind, _) => kind,
    }
}
