//! The listeners: which addresses and ports they take, and which services add to them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::connections::{Connection, dns_cache};
use super::draft::Draft;
use super::routes::Source;
use super::unmatched::any_dns_cache;
use super::{Outbound, WILDCARD};
use crate::envoy::environment::envoy_duration;
use crate::envoy::filters::{HttpChain, RouteSource, Traffic};
use crate::envoy::message::{Address, Filter, FilterChain, Listener, NetworkConfig, Origin, Str};
use crate::envoy::registry::{Port, Resolution, Service};
use crate::envoy::scope::{EgressListener, Imported};
use crate::mesh::Protocol;

/// Listeners in the making, by address and port.
#[derive(Default)]
struct Drafts {
    all: Vec<Draft>,
    places: FxHashMap<(Str, u32), usize>,
    /// Those before this place were made by listeners of the Sidecar with a port of their own, which take no more.
    locked: usize,
    sources: Vec<Source>,
    names: FxHashSet<Str>,
}

impl Drafts {
    fn open(&mut self, bind: &Str, port: u32, binds_port: bool) -> Option<&mut Draft> {
        let place = *self.places.entry((bind.clone(), port)).or_insert_with(|| {
            self.all.push(Draft::new(bind, port, binds_port));
            self.all.len() - 1
        });
        (place >= self.locked).then(|| &mut self.all[place])
    }
}

/// What one service wants of a listener.
#[derive(Clone, Copy)]
struct Wish<'s> {
    /// Where the listener stands in the scope.
    egress: usize,
    listener: &'s EgressListener,
    imported: &'s Imported,
    port: u32,
    protocol: Protocol,
    /// The address, where one is given.
    bind: Option<&'s Str>,
    range: Option<&'s str>,
}

impl<'m, 'a> Outbound<'_, 'm, 'a> {
    /// All outbound listeners, and where their routes come from.
    pub(super) fn listeners(&self) -> (Vec<Listener>, Vec<Source>) {
        let mut drafts = Drafts::default();
        for (egress, listener) in self.scope.listeners.iter().enumerate() {
            if let Some(port) = listener.port {
                self.on_port(&mut drafts, egress, listener, port);
            } else {
                drafts.locked = drafts.all.len();
                self.on_all_ports(&mut drafts, egress, listener);
            }
        }
        let timeout = self.world.environment.config.protocol_detection_timeout;
        let timeout = timeout.map_or(Str::new_static("0s"), |timeout| envoy_duration(timeout.as_str()));
        let mut made: Vec<Listener> = drafts
            .all
            .into_iter()
            .map(|draft| draft.finish(|| self.unmatched_chain(), &timeout))
            .collect();
        made.extend(self.http_proxy(&mut drafts.sources));
        made.push(self.virtual_outbound());
        (made, drafts.sources)
    }

    /// The services of a listener that are not only other names of services.
    fn concrete<'s>(&'s self, listener: &'s EgressListener) -> impl Iterator<Item = &'s Imported> {
        let imported = listener.services.iter();
        imported.filter(|imported| self.service(imported.service).resolution != Resolution::Alias)
    }

    /// A listener of the Sidecar with a port: what it takes the bytes for is its own matter.
    fn on_port(&self, drafts: &mut Drafts, egress: usize, listener: &EgressListener, port: u32) {
        let loopback = Str::new_static("127.0.0.1");
        let bind = listener.bind.as_ref().or(listener.binds_port.then_some(&loopback));
        for imported in self.concrete(listener) {
            let wish = Wish {
                egress,
                listener,
                imported,
                port,
                protocol: listener.protocol.unwrap_or(Protocol::Auto),
                bind,
                range: None,
            };
            if listener.is_proxy {
                self.add_plain_http(drafts, wish, bind.unwrap_or(&WILDCARD));
            } else {
                self.add(drafts, wish);
            }
        }
    }

    /// A listener for all ports that the listeners before it have not taken.
    fn on_all_ports(&self, drafts: &mut Drafts, egress: usize, listener: &EgressListener) {
        let loopback = Str::new_static("127.0.0.1");
        let bind = listener.bind.as_ref().or(listener.binds_port.then_some(&loopback));
        for imported in self.concrete(listener) {
            let service = self.service(imported.service);
            let later = service
                .later_ports
                .iter()
                .filter(|port| imported.ports.has(port.number));
            let ports = imported.ports(service).chain(later);
            for port in ports.filter(|port| port.protocol != Protocol::Udp) {
                let wish = Wish {
                    egress,
                    listener,
                    imported,
                    port: port.number,
                    protocol: port.protocol,
                    bind,
                    range: None,
                };
                if bind.is_none() && self.listens_at_pods(service, port) {
                    self.add_pods(drafts, wish, service, port);
                } else {
                    self.add(drafts, wish);
                }
            }
        }
    }

    /// Whether clients reach the pods by their own addresses, and bytes do not say which service they are for. Only an entry
    /// without endpoints stays on all addresses (catalogue: listeners, 7).
    fn listens_at_pods(&self, service: &Service<'m, 'a>, port: &Port) -> bool {
        let has_pods = service.is_headless() || service.endpoints.iter().any(|endpoints| !endpoints.is_empty());
        service.resolution == Resolution::Passthrough
            && self.addresses(service).next().is_none()
            && !port.protocol.is_http()
            && has_pods
    }

    fn add_pods(&self, drafts: &mut Drafts, wish: Wish<'_>, service: &Service<'m, 'a>, port: &Port) {
        let place = service
            .ports
            .iter()
            .position(|candidate| candidate.number == port.number);
        let endpoints = place
            .and_then(|place| service.endpoints.get(place))
            .into_iter()
            .flatten();
        for address in endpoints.filter_map(|endpoint| endpoint.address.socket_address.as_ref()) {
            let bind = Some(&address.address);
            self.add(drafts, Wish { bind, ..wish });
        }
    }

    fn add(&self, drafts: &mut Drafts, wish: Wish<'_>) {
        if self.is_reserved(wish) {
            return;
        }
        if wish.protocol.is_http() {
            let bind = wish.bind.unwrap_or(&WILDCARD);
            if bind == &WILDCARD {
                let name = Str::from(wish.port.to_string());
                self.add_http(drafts, wish, bind, name, true);
            } else {
                self.add_plain_http(drafts, wish, bind);
            }
            return;
        }
        if let Some(bind) = wish.bind {
            self.add_connections(drafts, wish, bind);
            return;
        }
        let service = self.service(wish.imported.service);
        let mut somewhere = false;
        for address in self.addresses(service) {
            somewhere = true;
            match address.strip_suffix("/32") {
                Some(single) => self.add_connections(drafts, wish, &Str::new(single)),
                None if address.contains('/') => {
                    let range = Some(address.as_str());
                    self.add_connections(drafts, Wish { range, ..wish }, &WILDCARD);
                }
                None => self.add_connections(drafts, wish, address),
            }
        }
        if !somewhere {
            self.add_connections(drafts, wish, &WILDCARD);
        }
    }

    /// Whether a wish for all addresses meets a port to which traffic is redirected.
    fn is_reserved(&self, wish: Wish<'_>) -> bool {
        let for_all = wish.bind.map_or(wish.protocol.is_http(), |bind| bind == &WILDCARD);
        let environment = &self.world.environment;
        for_all && [environment.outbound_port(), environment.inbound_port()].contains(&wish.port)
    }

    /// Chains for bytes that are not HTTP, and if nothing says what they are, one for those that look like it.
    fn add_connections(&self, drafts: &mut Drafts, wish: Wish<'_>, bind: &Str) {
        let service = self.service(wish.imported.service);
        if wish.protocol == Protocol::Auto {
            let name = if bind == &WILDCARD {
                Str::from(wish.port.to_string())
            } else {
                Str::from(format!("{}:{}", service.host, wish.port))
            };
            self.add_http(drafts, wish, bind, name, true);
        }
        let Some(draft) = drafts.open(bind, wish.port, wish.listener.binds_port) else {
            return;
        };
        let routes = self.hosts[wish.egress].meeting(&service.host);
        let connection = Connection {
            imported: wish.imported,
            port: wish.port,
            protocol: wish.protocol,
            range: wish.range,
            by_name: wish.range.is_some() || bind == &WILDCARD && self.addresses(service).next().is_none(),
            routes: &routes,
        };
        self.connection_chains(&connection)
            .into_iter()
            .for_each(|chain| draft.add(chain));
    }

    /// HTTP at an address of its own: every byte is taken for it (catalogue: Sidecar, 59).
    fn add_plain_http(&self, drafts: &mut Drafts, wish: Wish<'_>, bind: &Str) {
        let name = if wish.port == 0 {
            bind.clone()
        } else {
            Str::from(wish.port.to_string())
        };
        self.add_http(drafts, wish, bind, name, false);
    }

    fn add_http(&self, drafts: &mut Drafts, wish: Wish<'_>, bind: &Str, name: Str, sniffed: bool) {
        let Some(draft) = drafts.open(bind, wish.port, wish.listener.binds_port) else {
            return;
        };
        if !draft.admits_http(sniffed) {
            return;
        }
        let service = self.service(wish.imported.service);
        let filters = self.http_filters(&draft.name, name.clone(), wish, service);
        draft.add_http(filters, sniffed, &Origin::of(service.span));
        if drafts.names.insert(name.clone()) {
            let only = (sniffed && bind != &WILDCARD).then_some(wish.imported.service);
            drafts.sources.push(self.source(name, wish.port, only));
        }
    }

    fn http_filters(&self, listener: &str, name: Str, wish: Wish<'_>, service: &Service<'m, 'a>) -> Vec<Filter> {
        let dns_cache = match service.resolution {
            Resolution::DynamicDns => Some(dns_cache(&service.host)),
            _ if self.scope.outbound_traffic.dynamic_dns => Some(any_dns_cache()),
            _ => None,
        };
        self.filters.http(HttpChain {
            traffic: Traffic::Outbound,
            stat_prefix: Str::from(format!("outbound_{listener}")),
            routes: RouteSource::Discovered(name),
            protocol: wish.protocol,
            port: Some(wish.port),
            dns_cache,
        })
    }

    /// The proxy that applications may address as such, `proxyHttpPort`.
    fn http_proxy(&self, sources: &mut Vec<Source>) -> Option<Listener> {
        let port = self.world.environment.config.proxy_http_port?;
        let port = u32::try_from(port.value).ok().filter(|port| *port != 0)?;
        let name = Str::from(format!("127.0.0.1_{port}"));
        let mut filters = self.filters.http(HttpChain {
            traffic: Traffic::Outbound,
            stat_prefix: Str::from(format!("outbound_{name}")),
            routes: RouteSource::Discovered(Str::new_static("http_proxy")),
            protocol: Protocol::Http,
            port: Some(port),
            dns_cache: None,
        });
        allow_absolute_urls(&mut filters);
        sources.push(self.source(Str::new_static("http_proxy"), 0, None));
        Some(Listener {
            name,
            address: Some(Address::socket("127.0.0.1", port)),
            continue_on_listener_filters_timeout: true,
            filter_chains: vec![FilterChain {
                filters,
                transport_socket_connect_timeout: Str::new_static("15s"),
                ..FilterChain::default()
            }],
            listener_filters_timeout: Str::new_static("0s"),
            max_connections_to_accept_per_socket_event: Some(1),
            traffic_direction: "OUTBOUND",
            ..Listener::default()
        })
    }
}

fn allow_absolute_urls(filters: &mut [Filter]) {
    for filter in filters {
        if let Some(NetworkConfig::Http(manager)) = &mut filter.typed_config {
            let mut options = manager.http_protocol_options.as_deref().cloned().unwrap_or_default();
            if options.is_null() {
                options = serde_json::json!({});
            }
            options["allowAbsoluteUrl"] = true.into();
            manager.http_protocol_options = Some(options.into());
        }
    }
}
