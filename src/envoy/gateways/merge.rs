//! The servers of all gateways of a proxy, put together by port: which share a listener, which are in each other's way.

use rustc_hash::FxHashMap;

use super::model::{GatewayServers, Server, ServerHost};
use super::running::PortMap;
use crate::envoy::message::Str;
use crate::envoy::unused::{Reason, Unused};
use crate::mesh::Protocol;
use crate::source::Span;

/// A server and the gateway that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'w, 'm> {
    /// The gateway.
    pub gateway: &'w GatewayServers<'m>,
    /// The server.
    pub server: &'w Server,
}

/// Servers of one listener that are of one kind.
#[derive(Debug)]
pub struct Group<'w, 'm> {
    /// The port that the proxy listens on.
    pub port: u32,
    /// The address that it listens on; empty for all.
    pub bind: &'w str,
    /// The protocol of the first server.
    pub protocol: Protocol,
    /// The servers in order. Those of plain HTTP share a chain.
    pub servers: Vec<Placed<'w, 'm>>,
}

/// The servers of a proxy, put together.
#[derive(Debug, Default)]
pub struct Merged<'w, 'm> {
    /// In the order in which they came up. Groups of the same port and address share a listener.
    pub groups: Vec<Group<'w, 'm>>,
    /// Route configurations: the name, and the servers that make it.
    pub routes: Vec<(Str, Vec<Placed<'w, 'm>>)>,
    /// Servers that came to nothing.
    pub unused: Vec<Unused>,
    groups_by_kind: FxHashMap<(u32, &'w str, &'w str), usize>,
    routes_by_name: FxHashMap<Str, usize>,
    ports: FxHashMap<u32, Port<'w>>,
}

/// What is known of a port.
#[derive(Debug, Default)]
struct Port<'w> {
    /// The group of the first server that speaks plain text. It keeps others from its address.
    plain: Option<usize>,
    /// Hosts that servers with TLS have, each with the last address.
    hosts: FxHashMap<Str, (&'w str, Span)>,
}

impl<'w, 'm> Merged<'w, 'm> {
    /// Puts servers together in the order of the gateways.
    pub fn of(gateways: &[&'w GatewayServers<'m>], ports: &PortMap<'_>) -> Self {
        let mut merged = Self::default();
        for gateway in gateways {
            for server in &gateway.servers {
                for port in ports.resolve(server.port, &gateway.runs_on) {
                    let placed = Placed { gateway, server };
                    if let Some(rival) = merged.add(port, placed) {
                        merged.unused.push(Unused {
                            reason: Reason::Conflict,
                            span: server.span,
                            because: Some(rival),
                        });
                    }
                }
            }
        }
        merged
    }

    /// Adds a server to a port, unless something stands in its way, whose place is returned (catalogue: gateways, 12 to 16).
    fn add(&mut self, port: u32, placed: Placed<'w, 'm>) -> Option<Span> {
        let server = placed.server;
        if let Some(rival) = self.claim_hosts(port, server) {
            return Some(rival);
        }
        let plain = self.ports.get(&port).and_then(|known| known.plain);
        let neighbour = plain.filter(|plain| self.groups[*plain].bind == server.bind.as_str());
        let both_http = |plain: usize| server.protocol.is_http() && self.groups[plain].protocol.is_http();
        if let Some(plain) = neighbour.filter(|plain| !both_http(*plain)) {
            return self.groups[plain].servers.first().map(|first| first.server.span);
        }
        let route = route_name(port, placed);
        if let Some(rival) = route.and_then(|route| self.route(route, placed)) {
            return Some(rival);
        }
        let group = neighbour.unwrap_or_else(|| self.group(port, server));
        self.groups[group].servers.push(placed);
        if plain.is_none() && !server.is_tls() {
            self.ports.entry(port).or_default().plain = Some(group);
        }
        None
    }

    /// Takes the hosts of a server with TLS, unless another server has one of them.
    fn claim_hosts(&mut self, port: u32, server: &'w Server) -> Option<Span> {
        if !server.is_tls() && !server.https_redirect {
            return None;
        }
        let known = self.ports.entry(port).or_default();
        let bind = server.bind.as_str();
        let texts: Vec<Str> = server.hosts.iter().map(ServerHost::text).collect();
        let mut taken = texts.iter().filter_map(|text| known.hosts.get(text));
        let rival = taken.find(|(taken, _)| *taken == bind).map(|(_, span)| *span);
        if rival.is_none() {
            let own = texts.into_iter().map(|text| (text, (bind, server.span)));
            known.hosts.extend(own);
        }
        rival
    }

    fn group(&mut self, port: u32, server: &'w Server) -> usize {
        let kind = (port, server.bind.as_str(), server.protocol_text.as_str());
        *self.groups_by_kind.entry(kind).or_insert_with(|| {
            self.groups.push(Group {
                port,
                bind: server.bind.as_str(),
                protocol: server.protocol,
                servers: Vec::new(),
            });
            self.groups.len() - 1
        })
    }

    /// Adds a server to a route configuration. One of HTTPS belongs to a single server, though that may have several ports.
    fn route(&mut self, name: Str, placed: Placed<'w, 'm>) -> Option<Span> {
        let place = *self.routes_by_name.entry(name.clone()).or_insert_with(|| {
            self.routes.push((name, Vec::new()));
            self.routes.len() - 1
        });
        let servers = &mut self.routes[place].1;
        match servers.first().filter(|_| placed.server.is_tls()) {
            None => servers.push(placed),
            Some(first) if std::ptr::eq(first.server, placed.server) => {}
            Some(first) => return Some(first.server.span),
        }
        None
    }
}

/// The name of a server's route configuration, if it speaks HTTP (catalogue: gateways, 29).
pub fn route_name(port: u32, placed: Placed<'_, '_>) -> Option<Str> {
    let Placed { gateway, server } = placed;
    let dot = if server.bind.is_empty() { "" } else { "." };
    let bind = &server.bind;
    if server.protocol.is_http() {
        return Some(Str::from(format!("http.{port}{dot}{bind}")));
    }
    let (number, name) = (server.port, &server.port_name);
    server.is_http().then(|| {
        Str::from(format!(
            "https.{number}.{name}.{}.{}{dot}{bind}",
            gateway.name, gateway.namespace
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envoy::gateways::model::RunsOn;
    use crate::envoy::gateways::model::tests::server;

    fn merged(servers: Vec<Server>) -> (Vec<(u32, Protocol, usize)>, Vec<String>, usize) {
        let gateway = GatewayServers {
            name: Str::new_static("front"),
            namespace: "shop",
            created: "",
            runs_on: RunsOn::Labels(Vec::new()),
            servers,
            resource: 0,
            span: Span::default(),
        };
        let merged = Merged::of(&[&gateway], &PortMap::default());
        let groups = merged
            .groups
            .iter()
            .map(|group| (group.port, group.protocol, group.servers.len()));
        let routes = merged.routes.iter().map(|(name, _)| name.to_string());
        (groups.collect(), routes.collect(), merged.unused.len())
    }

    #[test]
    fn plain_http_shares_a_port_with_its_like_alone() {
        let (groups, routes, lost) = merged(vec![
            server(80, "HTTP", &["a.example"]),
            server(80, "GRPC", &["b.example"]),
            server(80, "TCP", &["c.example"]),
            server(80, "HTTPS", &["d.example"]),
        ]);
        assert_eq!((groups, lost), (vec![(80, Protocol::Http, 2)], 2));
        assert_eq!(routes, ["http.80"]);
    }

    #[test]
    fn plain_http_after_https_closes_the_port_for_more() {
        let (groups, routes, lost) = merged(vec![
            server(443, "HTTPS", &["a.example"]),
            server(443, "HTTP", &["b.example"]),
            server(443, "TLS", &["c.example"]),
        ]);
        assert_eq!(groups, [(443, Protocol::Https, 1), (443, Protocol::Http, 1)]);
        assert_eq!(
            (routes, lost),
            (vec!["https.443.HTTPS-443.front.shop".into(), "http.443".into()], 1)
        );
    }

    #[test]
    fn one_host_in_common_drops_a_server_with_tls() {
        let (groups, _, lost) = merged(vec![
            server(443, "HTTPS", &["a.example", "*.tea.example"]),
            server(443, "TLS", &["b.example", "a.example"]),
            server(443, "TLS", &["b.example", "green.tea.example"]),
        ]);
        assert_eq!(groups, [(443, Protocol::Https, 1), (443, Protocol::Tls, 1)]);
        assert_eq!(lost, 1);
    }

    #[test]
    fn addresses_are_told_apart() {
        let mut other = server(80, "TCP", &["*"]);
        other.bind = Str::new_static("127.0.0.1");
        let (groups, _, lost) = merged(vec![server(80, "HTTP", &["*"]), other]);
        assert_eq!((groups.len(), lost), (2, 0));
    }
}
