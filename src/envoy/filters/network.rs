//! The network filters of TCP chains.

use super::{Filters, Traffic, fixed};
use crate::envoy::message::{Filter, TcpProxy};

/// A TCP chain.
#[derive(Clone, Copy, Debug)]
pub struct TcpChain {
    /// Which way it goes.
    pub traffic: Traffic,
    /// The port by which extensions choose. Passthrough chains have none, and outbound ones no extensions either.
    pub port: Option<u32>,
    /// Whether peers tell each other who they are; chains of gateways do where they end Istio's own TLS.
    pub metadata_exchange: bool,
    /// Whether policies say who may connect.
    pub is_guarded: bool,
}

impl TcpChain {
    /// A chain of this kind on a port.
    pub fn new(traffic: Traffic, port: Option<u32>) -> Self {
        Self {
            traffic,
            port,
            metadata_exchange: traffic == Traffic::Inbound,
            is_guarded: traffic != Traffic::Outbound,
        }
    }
}

impl Filters<'_, '_, '_> {
    /// The network filters of a TCP chain: those around `tcp_proxy`, and it.
    pub fn tcp(&self, chain: TcpChain, tcp_proxy: TcpProxy) -> Vec<Filter> {
        self.around(chain, None, tcp_proxy)
    }

    /// The same with a filter right before `tcp_proxy`, such as that of a database.
    pub fn tcp_with(&self, chain: TcpChain, before: Filter, tcp_proxy: TcpProxy) -> Vec<Filter> {
        self.around(chain, Some(before), tcp_proxy)
    }

    /// A chain that ends nowhere: no policy, no log, but metrics.
    pub fn blackhole(&self, traffic: Traffic, tcp_proxy: TcpProxy) -> Vec<Filter> {
        let mut filters = Vec::with_capacity(2);
        if traffic == Traffic::Inbound {
            filters.push(metadata_exchange());
        }
        filters.extend(self.signals.tcp_stats(traffic.class()));
        filters.push(Filter::tcp_proxy(tcp_proxy));
        filters
    }

    fn around(&self, chain: TcpChain, before: Option<Filter>, tcp_proxy: TcpProxy) -> Vec<Filter> {
        let class = chain.traffic.class();
        let mut filters = Vec::with_capacity(2);
        if chain.metadata_exchange {
            filters.push(metadata_exchange());
        }
        self.guard(chain, &mut filters);
        filters.extend(self.signals.tcp_stats(class));
        filters.extend(before);
        filters.push(Filter::tcp_proxy(TcpProxy {
            access_log: self.signals.tcp_access_logs(class),
            ..tcp_proxy
        }));
        filters
    }

    /// Policies and extensions. What only passes out has neither.
    fn guard(&self, chain: TcpChain, filters: &mut Vec<Filter>) {
        if chain.traffic == Traffic::Outbound && chain.port.is_none() {
            return;
        }
        let guards = chain.is_guarded.then_some(&self.guards.tcp);
        let extensions = self.plugins.network(chain.traffic.class(), chain.port);
        filters.extend(guards.iter().flat_map(|guards| guards.custom.iter().cloned()));
        filters.extend(extensions.authentication);
        filters.extend(extensions.authorization);
        filters.extend(guards.iter().flat_map(|guards| guards.others.iter().cloned()));
        filters.extend(extensions.statistics);
        filters.extend(extensions.unspecified);
    }
}

fn metadata_exchange() -> Filter {
    Filter::json("istio.metadata_exchange", fixed::NETWORK_METADATA_EXCHANGE.clone())
}
