//! The listener `virtualInbound`, and those beside it.

use std::cell::OnceCell;

use super::chains::{self, Speech, Way};
use super::ports::InboundPort;
use super::{clusters, inspectors, routes, tls};
use crate::envoy::clusters::Named;
use crate::envoy::environment::envoy_duration;
use crate::envoy::filters::{Filters, HttpChain, RouteSource, TcpChain, Traffic};
use crate::envoy::gateways::model::ServerTls;
use crate::envoy::gateways::tls::server_tls;
use crate::envoy::message::{
    Address, DownstreamTlsContext, Filter, FilterChain, FilterChainMatch, Listener, Metadata, Str, TcpProxy,
    TransportSocket,
};
use crate::envoy::mtls::{Mode, WorkloadMtls};
use crate::envoy::telemetry::Class;
use crate::mesh::Protocol;

/// ALPN of servers that speak HTTP.
const HTTP_ALPN: &[&str] = &["h2", "http/1.1"];
/// ALPN of servers that speak anything.
const TCP_ALPN: &[&str] = &["istio-peer-exchange", "h2", "http/1.1"];

/// The cluster of ports that nothing names.
pub(super) const PASSTHROUGH: Str = Str::new_static("InboundPassthroughCluster");

/// `virtualInbound` with the chains of these ports, and the listeners of ports to which nothing is redirected.
pub(super) fn listeners(filters: &Filters<'_, '_, '_>, ports: &[InboundPort<'_, '_>]) -> Vec<Listener> {
    let builder = Builder::new(filters);
    let mut listeners = vec![builder.redirected(ports)];
    listeners.extend(
        ports
            .iter()
            .filter(|port| port.is_bound)
            .map(|port| builder.bound(port)),
    );
    listeners
}

struct Builder<'f, 'w, 'm, 'a> {
    filters: &'f Filters<'w, 'm, 'a>,
    mtls: WorkloadMtls<'w>,
    http_tls: DownstreamTlsContext,
    tcp_tls: DownstreamTlsContext,
    listen_port: u32,
}

impl<'f, 'w, 'm, 'a> Builder<'f, 'w, 'm, 'a> {
    fn new(filters: &'f Filters<'w, 'm, 'a>) -> Self {
        let (world, proxy) = (filters.world, filters.proxy);
        Self {
            filters,
            mtls: world.mtls.of_workload(proxy.namespace, &proxy.labels),
            http_tls: tls::mutual_tls(&world.environment, HTTP_ALPN),
            tcp_tls: tls::mutual_tls(&world.environment, TCP_ALPN),
            listen_port: world.environment.inbound_port(),
        }
    }

    fn redirected(&self, ports: &[InboundPort<'_, '_>]) -> Listener {
        let filter_chains = self.chains(ports);
        let mut origin = self.mtls.origin.clone();
        let spans = ports.iter().flat_map(|port| &port.origin.0);
        spans.for_each(|span| origin.add(*span));
        Listener {
            name: Str::new_static("virtualInbound"),
            address: Some(Address::socket("0.0.0.0", self.listen_port)),
            listener_filters: inspectors::of_redirected(&filter_chains),
            filter_chains,
            origin,
            ..self.listener()
        }
    }

    /// A port of a Sidecar with the capture mode `NONE`.
    fn bound(&self, port: &InboundPort<'_, '_>) -> Listener {
        let mut filter_chains = Vec::new();
        self.add_port(&mut filter_chains, port);
        Listener {
            name: Str::from(format!("{}_{}", port.bind, port.number)),
            address: Some(Address::socket(port.bind.clone(), port.number)),
            listener_filters: inspectors::of_bound(&filter_chains),
            filter_chains,
            origin: port.origin.clone(),
            ..self.listener()
        }
    }

    fn listener(&self) -> Listener {
        let timeout = self.filters.world.environment.config.protocol_detection_timeout;
        Listener {
            access_log: self.filters.signals.listener_access_logs(Class::Inbound),
            continue_on_listener_filters_timeout: true,
            listener_filters_timeout: timeout.map_or(Str::new_static("0s"), |timeout| envoy_duration(timeout.as_str())),
            max_connections_to_accept_per_socket_event: Some(1),
            traffic_direction: "INBOUND",
            ..Listener::default()
        }
    }

    fn chains(&self, ports: &[InboundPort<'_, '_>]) -> Vec<FilterChain> {
        let mut chains = vec![self.blackhole()];
        self.add_passthrough(&mut chains, None, self.mtls.mode);
        let unnamed = self
            .mtls
            .ports()
            .filter(|(number, _)| !ports.iter().any(|port| port.number == *number));
        for (number, mode) in unnamed {
            self.add_passthrough(&mut chains, Some(number), mode);
        }
        let own = [self.listen_port, self.filters.world.environment.outbound_port()];
        let is_taken = |port: &InboundPort<'_, '_>| port.credit.is_none() && own.contains(&port.number);
        for port in ports.iter().filter(|port| !port.is_bound && !is_taken(port)) {
            self.add_port(&mut chains, port);
        }
        chains
    }

    /// Connections to the listener's own port end here.
    fn blackhole(&self) -> FilterChain {
        let tcp_proxy = TcpProxy {
            cluster: Str::new_static("BlackHoleCluster"),
            stat_prefix: Str::new_static("BlackHoleCluster"),
            ..TcpProxy::default()
        };
        FilterChain {
            name: Str::new_static("virtualInbound-blackhole"),
            filter_chain_match: Some(FilterChainMatch {
                destination_port: Some(self.listen_port),
                ..FilterChainMatch::default()
            }),
            filters: self.filters.blackhole(Traffic::Inbound, tcp_proxy),
            ..FilterChain::default()
        }
    }

    /// The chains of ports that nothing names, or of one whose mode a policy sets apart.
    fn add_passthrough(&self, chains: &mut Vec<FilterChain>, port: Option<u32>, mode: Mode) {
        for way in chains::ways(mode, Speech::Either) {
            let (name, filters) = if way.http {
                ("virtualInbound-catchall-http", self.passthrough_http(port))
            } else {
                ("virtualInbound", self.passthrough_tcp())
            };
            chains.push(FilterChain {
                name: Str::new_static(name),
                filter_chain_match: Some(condition(way, port)),
                filters,
                transport_socket: self.transport_socket(way),
                origin: self.mtls.origin.clone(),
                ..FilterChain::default()
            });
        }
    }

    fn passthrough_http(&self, port: Option<u32>) -> Vec<Filter> {
        let routes = routes::passthrough(&self.filters.world.environment, &PASSTHROUGH);
        self.filters.http(HttpChain {
            traffic: Traffic::Inbound,
            stat_prefix: PASSTHROUGH,
            routes: RouteSource::Inline(Box::new(routes)),
            protocol: Protocol::Auto,
            port,
            dns_cache: None,
        })
    }

    fn passthrough_tcp(&self) -> Vec<Filter> {
        let chain = TcpChain::new(Traffic::Inbound, None);
        let pattern = self.filters.world.environment.config.inbound_cluster_stat_name;
        let pattern = pattern.filter(|pattern| !pattern.is_empty());
        let name = pattern.map(|pattern| Str::from(Named::default().fill(pattern.as_str())));
        self.filters.tcp(
            chain,
            TcpProxy {
                cluster: PASSTHROUGH,
                stat_prefix: name.unwrap_or(PASSTHROUGH),
                ..TcpProxy::default()
            },
        )
    }

    fn add_port(&self, chains: &mut Vec<FilterChain>, port: &InboundPort<'_, '_>) {
        let mode = self.mtls.of_port(port.number);
        let mut origin = port.origin.clone();
        self.mtls.origin.0.iter().for_each(|span| origin.add(*span));
        let (http, tcp) = (OnceCell::new(), OnceCell::new());
        let filters = |way: &Way| {
            if way.http {
                http.get_or_init(|| self.port_http(port)).clone()
            } else {
                tcp.get_or_init(|| self.port_tcp(port)).clone()
            }
        };
        let chain = |way: &Way, transport_socket| FilterChain {
            name: Str::from(format!("{}_{}", port.bind, port.number)),
            filter_chain_match: Some(condition(way, Some(port.number))),
            filters: filters(way),
            metadata: port.credit.clone().map(Metadata::credit),
            transport_socket,
            origin: origin.clone(),
            ..FilterChain::default()
        };
        let ways = chains::ways(mode, Speech::of(port.protocol));
        if let Some(context) = self.own_tls(port).filter(|_| mode == Mode::Disable) {
            let encrypted = ways.iter().map(|way| Way {
                transport: "tls",
                ..*way
            });
            chains.extend(encrypted.map(|way| chain(&way, Some(TransportSocket::downstream(context.clone())))));
        } else {
            chains.extend(ways.iter().map(|way| chain(way, self.transport_socket(way))));
        }
    }

    /// The TLS that the user gives to a port (catalogue: Inbound, 67).
    fn own_tls(&self, port: &InboundPort<'_, '_>) -> Option<DownstreamTlsContext> {
        let settings = port.tls?;
        let (ServerTls::Terminate(mut context) | ServerTls::IstioMutual(mut context)) =
            server_tls(settings, &self.filters.world.environment)
        else {
            return None;
        };
        context.common_tls_context.alpn_protocols = HTTP_ALPN.iter().copied().map(Str::new_static).collect();
        Some(*context)
    }

    fn port_http(&self, port: &InboundPort<'_, '_>) -> Vec<Filter> {
        let routes = routes::of_port(&self.filters.world.environment, port, &cluster_name(port.number));
        self.filters.http(HttpChain {
            traffic: Traffic::Inbound,
            stat_prefix: Str::from(format!("inbound_{}_{}", port.bind, port.number)),
            routes: RouteSource::Inline(Box::new(routes)),
            protocol: port.protocol,
            port: Some(port.number),
            dns_cache: None,
        })
    }

    fn port_tcp(&self, port: &InboundPort<'_, '_>) -> Vec<Filter> {
        let chain = TcpChain::new(Traffic::Inbound, Some(port.service_port));
        let cluster = cluster_name(port.number);
        self.filters.tcp(
            chain,
            TcpProxy {
                stat_prefix: clusters::named(self.filters.world, port, None).map_or_else(|| cluster.clone(), Str::from),
                cluster,
                ..TcpProxy::default()
            },
        )
    }

    fn transport_socket(&self, way: &Way) -> Option<TransportSocket> {
        let context = if way.http { &self.http_tls } else { &self.tcp_tls };
        way.mutual_tls.then(|| TransportSocket::downstream(context.clone()))
    }
}

/// The name of the cluster of a port.
pub(super) fn cluster_name(port: u32) -> Str {
    Str::from(format!("inbound|{port}||"))
}

fn condition(way: &Way, port: Option<u32>) -> FilterChainMatch {
    FilterChainMatch {
        destination_port: port,
        transport_protocol: way.transport,
        application_protocols: way.application_protocols.iter().copied().map(Str::new_static).collect(),
        ..FilterChainMatch::default()
    }
}
