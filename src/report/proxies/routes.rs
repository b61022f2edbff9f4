//! The table of routes: a row a route.

use serde_json::Value as Json;

use super::fields::{credited, items, text, texts};
use super::json;
use super::table::{Table, place};
use crate::envoy::Piece;
use crate::envoy::message::{Origin, RouteConfiguration};
use crate::source::Sources;

/// Route configurations in the order of their names, their routes in the order in which they are tried.
pub fn table(sources: &Sources, routes: &[Piece<RouteConfiguration>]) -> Table {
    let mut table = Table::new(&["NAME", "VHOST NAME", "DOMAINS", "MATCH", "VIRTUAL SERVICE", "ORIGIN"]);
    for piece in routes {
        rows(sources, piece, &mut table);
    }
    table.sort_by_key(|row| (row[0].parse::<u32>().unwrap_or(u32::MAX), row[0].clone()));
    table
}

fn rows(sources: &Sources, piece: &Piece<RouteConfiguration>, table: &mut Table) {
    let configuration = json(piece);
    for (at, host) in items(&configuration, "/virtualHosts").iter().enumerate() {
        let mut row = |index: usize, conditions: String, service: String| {
            table.row(vec![
                text(&configuration, "/name").to_owned(),
                text(host, "/name").to_owned(),
                domains(host),
                conditions,
                service,
                place(sources, origin(piece, at, index)),
            ]);
        };
        let routes = items(host, "/routes");
        for (index, route) in routes.iter().enumerate() {
            row(index, conditions(route), credited(route, "virtual-service"));
        }
        if routes.is_empty() {
            row(0, "404".to_owned(), String::new());
        }
    }
}

/// That of a route, else that of its virtual host or of the whole.
fn origin(piece: &Piece<RouteConfiguration>, host: usize, route: usize) -> &Origin {
    match piece {
        Piece::Made(configuration) => {
            let host = configuration.virtual_hosts.get(host);
            let route = host.and_then(|host| host.routes.get(route));
            let inner = [route.map(|route| &route.origin), host.map(|host| &host.origin)];
            let known = inner.into_iter().flatten().find(|origin| !origin.0.is_empty());
            known.unwrap_or(&configuration.origin)
        }
        Piece::Patched { origin, .. } => origin,
    }
}

/// The first domains that the name does not say already.
fn domains(host: &Json) -> String {
    let name = text(host, "/name");
    let own = name.rsplit_once(':').map_or(name, |(host, _)| host);
    let all = texts(host, "/domains");
    let others: Vec<&str> = all
        .iter()
        .copied()
        .filter(|domain| all.len() == 1 || *domain != own)
        .collect();
    match others.as_slice() {
        [first, second, more @ ..] if !more.is_empty() => format!("{first}, {second} + {} more...", more.len()),
        few => few.join(", "),
    }
}

/// The path that a route is for; an asterisk stands for any rest.
pub fn conditions(route: &Json) -> String {
    let of = |key: &str| text(route, key);
    let paths = [
        (of("/match/prefix"), "", "*"),
        (of("/match/path"), "", ""),
        (of("/match/pathSeparatedPrefix"), "PathPrefix:", ""),
        (of("/match/safeRegex/regex"), "regex ", ""),
    ];
    let found = paths.into_iter().find(|(path, ..)| !path.is_empty());
    found.map_or_else(
        || "-".to_owned(),
        |(path, before, after)| format!("{before}{path}{after}"),
    )
}
