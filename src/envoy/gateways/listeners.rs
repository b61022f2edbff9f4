//! The listeners of a gateway and their chains.

use rustc_hash::{FxHashMap, FxHashSet};

use super::merge::{Group, Merged, Placed, route_name};
use super::model::{Server, ServerTls};
use super::{auto_passthrough, tcp};
use crate::envoy::filters::{Filters, HttpChain, RouteSource, Traffic};
use crate::envoy::message::{
    Address, DownstreamTlsContext, Filter, FilterChain, FilterChainMatch, Listener, ListenerFilter, NetworkConfig,
    Origin, Str, TransportSocket,
};
use crate::envoy::scope::Scope;
use crate::envoy::telemetry::Class;
use crate::envoy::unused::Unused;
use crate::envoy::{World, fixed};
use crate::source::Span;

/// What the chains of a gateway are made of.
#[derive(Debug)]
pub struct Chains<'c, 'm, 'a> {
    /// Everything that does not depend on the proxy.
    pub world: &'c World<'m, 'a>,
    /// The filters of the proxy.
    pub filters: &'c Filters<'c, 'm, 'a>,
    /// What the proxy is told of.
    pub scope: &'c Scope,
    /// The names of SNI that chains of a listener pass through, by listener, with their rules.
    pub passed: FxHashMap<(u32, Str), FxHashMap<Str, Span>>,
    /// Rules that came to nothing.
    pub unused: Vec<Unused>,
}

/// The listeners of a gateway. A port where nothing comes of any server has none.
pub fn listeners<'m>(chains: &mut Chains<'_, 'm, '_>, merged: &Merged<'_, 'm>) -> Vec<Listener> {
    let mut listeners: Vec<Listener> = Vec::new();
    let mut places: FxHashMap<Str, usize> = FxHashMap::default();
    let mut reads_tls: FxHashSet<usize> = FxHashSet::default();
    for group in &merged.groups {
        let made = chains.of_group(group);
        if made.is_empty() {
            continue;
        }
        let name = listener_name(group);
        let place = *places.entry(name.clone()).or_insert_with(|| {
            listeners.push(empty_listener(name, group));
            listeners.len() - 1
        });
        if group.servers.iter().any(|placed| placed.server.is_tls()) {
            reads_tls.insert(place);
        }
        let listener = &mut listeners[place];
        for span in made.iter().flat_map(|chain| &chain.origin.0) {
            listener.origin.add(*span);
        }
        listener.filter_chains.extend(made);
    }
    for (place, listener) in listeners.iter_mut().enumerate() {
        listener.access_log = chains.filters.signals.listener_access_logs(Class::Gateway);
        listener.listener_filters = listener_filters(chains, reads_tls.contains(&place));
    }
    listeners
}

fn listener_name(group: &Group<'_, '_>) -> Str {
    let bind = if group.bind.is_empty() { "0.0.0.0" } else { group.bind };
    Str::from(format!("{bind}_{}", group.port))
}

fn empty_listener(name: Str, group: &Group<'_, '_>) -> Listener {
    let bind = if group.bind.is_empty() { "0.0.0.0" } else { group.bind };
    Listener {
        name,
        address: Some(Address::socket(bind, group.port)),
        max_connections_to_accept_per_socket_event: Some(1),
        traffic_direction: "OUTBOUND",
        ..Listener::default()
    }
}

/// Catalogue: gateways, 18.
fn listener_filters(chains: &Chains<'_, '_, '_>, reads_tls: bool) -> Vec<ListenerFilter> {
    let mut filters = Vec::new();
    if chains.filters.settings.topology.proxy_protocol {
        filters.push(ListenerFilter {
            name: "envoy.filters.listener.proxy_protocol",
            typed_config: Some(fixed::PROXY_PROTOCOL.clone()),
            ..ListenerFilter::default()
        });
    }
    if reads_tls {
        filters.push(ListenerFilter {
            name: "envoy.filters.listener.tls_inspector",
            typed_config: Some(fixed::GATEWAY_TLS_INSPECTOR.clone()),
            ..ListenerFilter::default()
        });
    }
    filters
}

impl<'m> Chains<'_, 'm, '_> {
    fn of_group(&mut self, group: &Group<'_, 'm>) -> Vec<FilterChain> {
        if group.protocol.is_http() {
            return self.plain_http(group).into_iter().collect();
        }
        let servers = group.servers.iter();
        servers.flat_map(|placed| self.of_server(group, *placed)).collect()
    }

    /// The one chain that the servers of plain HTTP on a port share.
    fn plain_http(&self, group: &Group<'_, 'm>) -> Option<FilterChain> {
        let first = group.servers.first()?;
        let mut chain = self.http(group, *first)?;
        chain.origin = Origin(group.servers.iter().map(|placed| placed.server.span).collect());
        Some(chain)
    }

    fn of_server(&mut self, group: &Group<'_, 'm>, placed: Placed<'_, 'm>) -> Vec<FilterChain> {
        let server = placed.server;
        match &server.tls {
            ServerTls::Terminate(context) | ServerTls::IstioMutual(context) if server.is_http() => {
                let chain = self
                    .http(group, placed)
                    .map(|chain| terminate(chain, server, context, false));
                chain.map(|chain| named(chain, &server.name)).into_iter().collect()
            }
            ServerTls::None => self.tcp(placed).into_iter().collect(),
            ServerTls::Terminate(context) => {
                let chain = self.tcp(placed).map(|chain| terminate(chain, server, context, false));
                chain.into_iter().collect()
            }
            ServerTls::IstioMutual(context) => {
                let chain = self.tcp(placed).map(|chain| terminate(chain, server, context, true));
                chain.into_iter().collect()
            }
            ServerTls::Passthrough => tcp::passthrough(self, group, placed),
            ServerTls::AutoPassthrough => auto_passthrough::chains(self, server),
        }
    }

    fn http(&self, group: &Group<'_, 'm>, placed: Placed<'_, 'm>) -> Option<FilterChain> {
        let filters = self.filters.http(HttpChain {
            traffic: Traffic::Gateway,
            stat_prefix: Str::from(format!("outbound_{}", listener_name(group))),
            routes: RouteSource::Discovered(route_name(group.port, placed)?),
            protocol: group.protocol,
            port: Some(placed.server.port),
            dns_cache: None,
        });
        Some(chain(filters, Origin::of(placed.server.span)))
    }

    fn tcp(&mut self, placed: Placed<'_, 'm>) -> Option<FilterChain> {
        tcp::filters(self, placed).map(|(filters, origin)| chain(filters, origin))
    }
}

/// A chain without a condition.
pub fn chain(filters: Vec<Filter>, origin: Origin) -> FilterChain {
    FilterChain {
        filters,
        transport_socket_connect_timeout: Str::new_static("15s"),
        origin,
        ..FilterChain::default()
    }
}

/// A chain with the condition on SNI and the certificates of a server (catalogue: gateways, 22 and 25).
fn terminate(chain: FilterChain, server: &Server, context: &DownstreamTlsContext, exchanges: bool) -> FilterChain {
    let mut context = context.clone();
    let exchange = exchanges.then_some("istio-peer-exchange");
    let protocols = exchange.into_iter().chain(["h2", "http/1.1"]);
    context.common_tls_context.alpn_protocols = protocols.map(Str::new_static).collect();
    FilterChain {
        filter_chain_match: server_names(server),
        transport_socket: Some(TransportSocket::downstream(context)),
        ..chain
    }
}

/// An HTTP chain that has the name of its server in statistics, if that has one (catalogue: gateways, 19).
fn named(mut chain: FilterChain, name: &Str) -> FilterChain {
    for filter in &mut chain.filters {
        if let Some(NetworkConfig::Http(manager)) = &mut filter.typed_config
            && !name.is_empty()
        {
            manager.stat_prefix = name.clone();
        }
    }
    chain
}

/// The hosts of a server as a condition.
fn server_names(server: &Server) -> Option<FilterChainMatch> {
    names_of_sni(server.hosts.iter().map(|host| &host.host))
}

/// Names as a condition on SNI, sorted; none if any name will do.
pub fn names_of_sni<'n>(names: impl Iterator<Item = &'n Str>) -> Option<FilterChainMatch> {
    let mut server_names: Vec<Str> = names.cloned().collect();
    server_names.sort_unstable();
    server_names.dedup();
    let takes_any = server_names.is_empty() || server_names.iter().any(|name| name == "*");
    (!takes_any).then(|| FilterChainMatch {
        server_names,
        ..FilterChainMatch::default()
    })
}
