//! A listener in the making, to which several services add chains.

use rustc_hash::FxHashSet;

use crate::envoy::fixed::{HTTP_INSPECTOR, TLS_INSPECTOR};
use crate::envoy::message::{Address, Filter, FilterChain, FilterChainMatch, Listener, ListenerFilter, Origin, Str};

/// A listener in the making.
#[derive(Debug)]
pub(super) struct Draft {
    /// Its name, from its address.
    pub name: Str,
    /// Where it listens.
    pub address: Address,
    /// Whether it really binds its port.
    pub binds_port: bool,
    chains: Vec<FilterChain>,
    catch_all: Option<FilterChain>,
    /// The conditions of the chains, each once.
    known: FxHashSet<Vec<Str>>,
    has_http: bool,
    origin: Origin,
}

impl Draft {
    /// A listener without chains.
    pub(super) fn new(bind: &Str, port: u32, binds_port: bool) -> Self {
        let address = if bind.starts_with("unix:") {
            Address::pipe(bind.trim_start_matches("unix://"))
        } else {
            Address::socket(bind.clone(), port)
        };
        Self {
            name: Str::from(format!("{bind}_{port}")),
            address,
            binds_port,
            chains: Vec::new(),
            catch_all: None,
            known: FxHashSet::default(),
            has_http: false,
            origin: Origin::default(),
        }
    }

    /// Whether a chain for HTTP may be added: there is none yet, and one for everything finds its place free.
    pub(super) fn admits_http(&self, sniffed: bool) -> bool {
        !self.has_http && (sniffed || self.catch_all.is_none())
    }

    /// Adds the one chain for HTTP. If it is `sniffed`, only bytes that look like HTTP come to it.
    pub(super) fn add_http(&mut self, filters: Vec<Filter>, sniffed: bool, origin: &Origin) {
        let chain = FilterChain {
            filters,
            transport_socket_connect_timeout: Str::new_static("15s"),
            origin: origin.clone(),
            ..FilterChain::default()
        };
        if sniffed {
            self.chains.push(FilterChain {
                filter_chain_match: Some(FilterChainMatch {
                    transport_protocol: "raw_buffer",
                    application_protocols: vec![Str::new_static("http/1.1"), Str::new_static("h2c")],
                    ..FilterChainMatch::default()
                }),
                ..chain
            });
        } else {
            self.catch_all = Some(chain);
        }
        self.has_http = true;
        self.credit(origin);
    }

    /// Adds a chain for other bytes. The first with its conditions stays (catalogue: ServiceEntries, 57).
    pub(super) fn add(&mut self, chain: FilterChain) {
        let origin = chain.origin.clone();
        match &chain.filter_chain_match {
            None if self.catch_all.is_none() => self.catch_all = Some(chain),
            Some(conditions) if self.known.insert(words(conditions)) => self.chains.push(chain),
            _ => return,
        }
        self.credit(&origin);
    }

    fn credit(&mut self, origin: &Origin) {
        origin.0.iter().for_each(|span| self.origin.add(*span));
    }

    /// The listener. What no chain takes goes on through `unmatched`, unless some chain takes everything.
    pub(super) fn finish(self, unmatched: impl FnOnce() -> FilterChain, detection_timeout: &Str) -> Listener {
        let sniffs_http = self.has_http && self.chains.iter().any(is_sniffed);
        let reads_sni = self.chains.iter().any(reads_sni);
        let (filter_chains, default) = match (self.chains.is_empty(), self.catch_all) {
            (true, catch_all) => (catch_all.into_iter().collect(), None),
            (false, Some(catch_all)) => (self.chains, Some(catch_all)),
            (false, None) => (self.chains, Some(unmatched())),
        };
        let timeout = if sniffs_http {
            detection_timeout.clone()
        } else {
            Str::new_static("0s")
        };
        Listener {
            name: self.name,
            address: Some(self.address),
            bind_to_port: (!self.binds_port).then_some(false),
            continue_on_listener_filters_timeout: true,
            default_filter_chain: default.map(Box::new),
            filter_chains,
            listener_filters: inspectors(reads_sni, sniffs_http),
            listener_filters_timeout: timeout,
            max_connections_to_accept_per_socket_event: self.binds_port.then_some(1),
            traffic_direction: "OUTBOUND",
            origin: self.origin,
            ..Listener::default()
        }
    }
}

/// Names and ranges in one order.
pub(super) fn words(conditions: &FilterChainMatch) -> Vec<Str> {
    let ranges = conditions.prefix_ranges.iter();
    let ranges = ranges.map(|range| Str::from(format!("{}/{}", range.address_prefix, range.prefix_len.unwrap_or(0))));
    let mut words: Vec<Str> = ranges.chain(conditions.server_names.iter().cloned()).collect();
    words.sort_unstable();
    words
}

fn is_sniffed(chain: &FilterChain) -> bool {
    chain
        .filter_chain_match
        .as_ref()
        .is_some_and(|conditions| !conditions.application_protocols.is_empty())
}

fn reads_sni(chain: &FilterChain) -> bool {
    chain
        .filter_chain_match
        .as_ref()
        .is_some_and(|conditions| !conditions.server_names.is_empty())
}

fn inspectors(tls: bool, http: bool) -> Vec<ListenerFilter> {
    let tls = tls.then(|| ListenerFilter {
        name: "envoy.filters.listener.tls_inspector",
        typed_config: Some(TLS_INSPECTOR.clone()),
        ..ListenerFilter::default()
    });
    let http = http.then(|| ListenerFilter {
        name: "envoy.filters.listener.http_inspector",
        typed_config: Some(HTTP_INSPECTOR.clone()),
        ..ListenerFilter::default()
    });
    tls.into_iter().chain(http).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(server_name: Option<&str>) -> FilterChain {
        FilterChain {
            name: Str::new(server_name.unwrap_or_default()),
            filter_chain_match: server_name.map(|name| FilterChainMatch {
                server_names: vec![Str::new(name)],
                ..FilterChainMatch::default()
            }),
            ..FilterChain::default()
        }
    }

    #[test]
    fn a_chain_without_conditions_is_the_default_beside_others() {
        let finish = |draft: Draft| draft.finish(FilterChain::default, &Str::new_static("0s"));
        let mut alone = Draft::new(&Str::new("0.0.0.0"), 443, false);
        alone.add(chain(None));
        assert!(finish(alone).default_filter_chain.is_none());
        let mut beside = Draft::new(&Str::new("0.0.0.0"), 443, false);
        beside.add(chain(Some("a.example")));
        beside.add(chain(Some("a.example")));
        beside.add(chain(None));
        let listener = finish(beside);
        assert_eq!(listener.filter_chains.len(), 1);
        assert!(listener.default_filter_chain.is_some());
        assert_eq!(listener.listener_filters.len(), 1);
    }
}
