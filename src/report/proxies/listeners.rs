//! The table of listeners: a row a filter chain.

use serde_json::Value as Json;

use super::fields::{items, number, text, texts};
use super::json;
use super::table::{Table, place};
use crate::envoy::Piece;
use crate::envoy::message::{Listener, Origin};
use crate::source::Sources;

/// Listeners in the order of their ports.
pub fn table(sources: &Sources, listeners: &[Piece<Listener>]) -> Table {
    let mut table = Table::new(&["ADDRESSES", "PORT", "MATCH", "DESTINATION", "ORIGIN"]);
    for piece in listeners {
        rows(sources, piece, &mut table);
    }
    table.sort_by_key(|row| (row[1].parse::<u32>().unwrap_or(0), row[0].clone()));
    table
}

fn rows(sources: &Sources, piece: &Piece<Listener>, table: &mut Table) {
    let listener = json(piece);
    let chains = items(&listener, "/filterChains")
        .iter()
        .chain(listener.get("defaultFilterChain"));
    for (index, chain) in chains.enumerate() {
        let (address, port) = address(&listener);
        table.row(vec![
            address,
            port,
            conditions(chain),
            destination(chain),
            place(sources, origin(piece, index)),
        ]);
    }
}

fn address(listener: &Json) -> (String, String) {
    let pipe = text(listener, "/address/pipe/path");
    let host = text(listener, "/address/socketAddress/address");
    let internal = if listener.get("internalListener").is_some() {
        text(listener, "/name")
    } else {
        ""
    };
    let address = [host, pipe, internal].into_iter().find(|text| !text.is_empty());
    (
        address.unwrap_or("-").to_owned(),
        number(listener, "/address/socketAddress/portValue"),
    )
}

/// That of a chain, else that of the listener.
fn origin(piece: &Piece<Listener>, index: usize) -> &Origin {
    match piece {
        Piece::Made(listener) => {
            let mut chains = listener
                .filter_chains
                .iter()
                .chain(listener.default_filter_chain.as_deref());
            let own = chains.nth(index).map(|chain| &chain.origin);
            own.filter(|origin| !origin.0.is_empty()).unwrap_or(&listener.origin)
        }
        Piece::Patched { origin, .. } => origin,
    }
}

/// `SNI: a.example; Trans: tls; App: h2; Addr: *:8080`, or `ALL`.
fn conditions(chain: &Json) -> String {
    let conditions = chain.get("filterChainMatch").unwrap_or(&Json::Null);
    let mut out = Vec::new();
    let mut say = |word: &str, value: String| {
        if !value.is_empty() {
            out.push(format!("{word}: {value}"));
        }
    };
    say("SNI", texts(conditions, "/serverNames").join(","));
    say("Trans", text(conditions, "/transportProtocol").to_owned());
    say(
        "App",
        match texts(conditions, "/applicationProtocols").as_slice() {
            ["istio-peer-exchange", "istio"] => "TCP TLS".to_owned(),
            protocols => protocols.join(","),
        },
    );
    say("Addr", destination_address(conditions));
    if out.is_empty() {
        "ALL".to_owned()
    } else {
        out.join("; ")
    }
}

fn destination_address(conditions: &Json) -> String {
    let port = number(conditions, "/destinationPort");
    let port = if port.is_empty() { port } else { format!(":{port}") };
    let range = |range: &Json| {
        format!(
            "{}/{}{port}",
            text(range, "/addressPrefix"),
            number(range, "/prefixLen")
        )
    };
    let ranges: Vec<String> = items(conditions, "/prefixRanges").iter().map(range).collect();
    match (ranges.is_empty(), port.is_empty()) {
        (false, _) => ranges.join(","),
        (true, false) => format!("*{port}"),
        (true, true) => String::new(),
    }
}

fn destination(chain: &Json) -> String {
    let known = items(chain, "/filters").iter().find_map(|filter| {
        let config = filter.get("typedConfig")?;
        match text(filter, "/name") {
            "envoy.filters.network.http_connection_manager" => Some(of_manager(config)),
            "envoy.filters.network.tcp_proxy" => of_tcp_proxy(config),
            _ => None,
        }
    });
    known.unwrap_or_else(|| "Non-HTTP/Non-TCP".to_owned())
}

fn of_manager(manager: &Json) -> String {
    if let Some(routes) = manager.get("routeConfig") {
        return of_routes(routes);
    }
    match text(manager, "/rds/routeConfigName") {
        "" => "HTTP".to_owned(),
        name => format!("Route: {name}"),
    }
}

/// The cluster that takes all requests, else the paths of the routes.
fn of_routes(configuration: &Json) -> String {
    let hosts = items(configuration, "/virtualHosts");
    if let [host] = hosts
        && let [route] = items(host, "/routes")
        && text(route, "/match/prefix") == "/"
        && !text(route, "/route/cluster").is_empty()
    {
        return of_cluster(text(route, "/route/cluster"));
    }
    let described = hosts.iter().map(|host| {
        let routes = items(host, "/routes").iter().map(super::routes::conditions);
        let domains = texts(host, "/domains").join(",");
        let routes = routes.collect::<Vec<_>>().join(", ");
        if domains == "*" {
            routes
        } else {
            format!("{domains} {routes}")
        }
    });
    format!("Inline Route: {}", described.collect::<Vec<_>>().join("; "))
}

fn of_tcp_proxy(proxy: &Json) -> Option<String> {
    let weighted = items(proxy, "/weightedClusters/clusters").iter();
    let weighted: Vec<_> = weighted.map(|cluster| text(cluster, "/name")).collect();
    match text(proxy, "/cluster") {
        "BlackHoleCluster" => None,
        "" => Some(format!("Clusters: {}", weighted.join(", "))),
        cluster => Some(of_cluster(cluster)),
    }
}

fn of_cluster(name: &str) -> String {
    if name.ends_with("PassthroughCluster") {
        name.to_owned()
    } else {
        format!("Cluster: {name}")
    }
}
