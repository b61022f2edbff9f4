//! The table of endpoints.

use serde_json::Value as Json;

use super::fields::{items, number, text};
use super::json;
use super::table::{Table, place};
use crate::envoy::Piece;
use crate::envoy::message::{ClusterLoadAssignment, Origin};
use crate::source::Sources;

/// Endpoints in the order of their addresses.
pub fn table(sources: &Sources, assignments: &[Piece<ClusterLoadAssignment>]) -> Table {
    let mut table = Table::new(&["ENDPOINT", "STATUS", "OUTLIER CHECK", "CLUSTER", "ORIGIN"]);
    for piece in assignments {
        let assignment = json(piece);
        let groups = items(&assignment, "/endpoints").iter();
        for endpoint in groups.flat_map(|group| items(group, "/lbEndpoints")) {
            table.row(vec![
                address(endpoint),
                status(endpoint).to_owned(),
                "OK".to_owned(),
                text(&assignment, "/clusterName").to_owned(),
                place(sources, origin(piece)),
            ]);
        }
    }
    table.sort_by_key(|row| (row[0].clone(), row[3].clone()));
    table
}

fn origin(piece: &Piece<ClusterLoadAssignment>) -> &Origin {
    match piece {
        Piece::Made(assignment) => &assignment.origin,
        Piece::Patched { origin, .. } => origin,
    }
}

fn address(endpoint: &Json) -> String {
    let of = |path: &str| text(endpoint, path);
    let host = of("/endpoint/address/socketAddress/address");
    let pipe = of("/endpoint/address/pipe/path");
    let internal = of("/endpoint/address/envoyInternalAddress/serverListenerName");
    if !host.is_empty() {
        format!(
            "{host}:{}",
            number(endpoint, "/endpoint/address/socketAddress/portValue")
        )
    } else if !pipe.is_empty() {
        format!("unix://{pipe}")
    } else {
        let inner = of("/endpoint/address/envoyInternalAddress/endpointId");
        format!("envoy://{internal}/{inner}")
    }
}

fn status(endpoint: &Json) -> &str {
    match text(endpoint, "/healthStatus") {
        "" => "HEALTHY",
        status => status,
    }
}
