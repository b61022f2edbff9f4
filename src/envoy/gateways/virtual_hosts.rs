//! The virtual hosts of one route configuration, which several gateways and routes fill.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::model::Server;
use crate::envoy::message::{Origin, Route, Str, VirtualHost};
use crate::envoy::routing::Reached;
use crate::envoy::routing::compile::is_catch_all;
use crate::source::Span;

/// A place among the lists of routes of [`VirtualHosts`].
pub type Source = usize;

/// Virtual hosts in the making.
#[derive(Debug, Default)]
pub struct VirtualHosts {
    hosts: Vec<Host>,
    by_name: FxHashMap<Str, usize>,
    sources: Vec<(Vec<Route>, Span)>,
}

#[derive(Debug)]
struct Host {
    name: Str,
    /// The port of the first server that made it.
    port: u32,
    sources: Vec<Source>,
    redirects: bool,
    origin: Origin,
}

impl VirtualHosts {
    /// Keeps a list of routes for [`Self::add`]; an empty one is none.
    pub fn source(&mut self, routes: Vec<Route>, span: Span) -> Option<Source> {
        if routes.is_empty() {
            return None;
        }
        self.sources.push((routes, span));
        Some(self.sources.len() - 1)
    }

    /// Adds routes to a host.
    pub fn add(&mut self, host: &str, server: &Server, source: Source) {
        let span = self.sources[source].1;
        let host = self.host(host, server);
        host.sources.push(source);
        host.redirects |= server.https_redirect;
        host.origin.add(span);
    }

    /// Lets a host answer plain requests with a redirect to HTTPS.
    pub fn redirect(&mut self, host: &str, server: &Server) {
        self.host(host, server).redirects = true;
    }

    fn host(&mut self, host: &str, server: &Server) -> &mut Host {
        let name = Str::from(host.to_ascii_lowercase());
        let place = *self.by_name.entry(name.clone()).or_insert_with(|| {
            self.hosts.push(Host {
                name,
                port: server.port,
                sources: Vec::new(),
                redirects: false,
                origin: Origin::default(),
            });
            self.hosts.len() - 1
        });
        let host = &mut self.hosts[place];
        host.origin.add(server.span);
        host
    }

    /// The virtual hosts by name. Hosts with the same routes are one (catalogue: gateways, 31, 32).
    pub fn finish(mut self, port: u32, counts_attempts: bool, reached: &mut Reached) -> Vec<VirtualHost> {
        if self.hosts.is_empty() {
            return vec![blackhole(port)];
        }
        self.hosts.sort_unstable_by(|a, b| rank(&a.name).cmp(&rank(&b.name)));
        let mut made: Vec<VirtualHost> = Vec::new();
        let mut folded: FxHashMap<(&[Source], bool), usize> = FxHashMap::default();
        for host in &self.hosts {
            let place = *folded.entry((&host.sources, host.redirects)).or_insert_with(|| {
                made.push(VirtualHost {
                    name: virtual_host_name(&host.name, host.port),
                    include_request_attempt_count: counts_attempts,
                    require_tls: if host.redirects { "ALL" } else { "" },
                    routes: self.routes(&host.sources, reached),
                    ..VirtualHost::default()
                });
                made.len() - 1
            });
            made[place].domains.push(host.name.clone());
            host.origin.0.iter().for_each(|span| made[place].origin.add(*span));
        }
        made.sort_by(|a, b| a.name.cmp(&b.name));
        made
    }

    /// Routes of several sources, those last that take every request (catalogue: gateways, 35). Of these the first takes
    /// all.
    fn routes(&self, sources: &[Source], reached: &mut Reached) -> Vec<Route> {
        let all = sources.iter().flat_map(|source| &self.sources[*source].0);
        let (wide, narrow): (Vec<&Route>, Vec<&Route>) = all.partition(|route| is_catch_all(&route.r#match));
        narrow.iter().for_each(|route| reached.reach(route));
        if let [first, others @ ..] = wide.as_slice() {
            reached.reach(first);
            others.iter().for_each(|other| reached.hide(other, first));
        }
        narrow.into_iter().chain(wide).cloned().collect()
    }
}

/// Exact hosts before wildcards, longer before shorter, then by the alphabet.
fn rank(host: &Str) -> (bool, Reverse<usize>, &Str) {
    (host.starts_with('*'), Reverse(host.len()), host)
}

fn virtual_host_name(host: &str, port: u32) -> Str {
    if host.contains(':') {
        Str::from(format!("[{host}]:{port}"))
    } else {
        Str::from(format!("{host}:{port}"))
    }
}

/// What a listener without any host has: no route, so that every request is answered with 404 (catalogue: gateways, 17).
fn blackhole(port: u32) -> VirtualHost {
    VirtualHost {
        name: virtual_host_name("blackhole", port),
        domains: vec![Str::new_static("*")],
        ..VirtualHost::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envoy::gateways::model::tests::server;
    use crate::envoy::message::RouteMatch;

    fn route(prefix: &'static str) -> Route {
        Route {
            name: Str::new_static(prefix),
            r#match: RouteMatch {
                prefix: Some(Str::new_static(prefix)),
                ..RouteMatch::default()
            },
            ..Route::default()
        }
    }

    fn names(host: &VirtualHost) -> Vec<&str> {
        host.routes.iter().map(|route| route.name.as_str()).collect()
    }

    #[test]
    fn hosts_of_the_same_routes_are_one() {
        let (mut hosts, plain) = (VirtualHosts::default(), server(80, "HTTP", &[]));
        let first = hosts
            .source(vec![route("/a"), route("/")], Span::default())
            .expect("it has routes");
        let second = hosts.source(vec![route("/b")], Span::default()).expect("it has routes");
        for host in ["a.example", "*.tea.example", "Long.example"] {
            hosts.add(host, &plain, first);
        }
        hosts.add("a.example", &plain, second);
        let made = hosts.finish(80, true, &mut Reached::default());
        let listed: Vec<_> = made.iter().map(|host| host.name.as_str()).collect();
        assert_eq!(listed, ["a.example:80", "long.example:80"]);
        assert_eq!(made[1].domains, ["long.example", "*.tea.example"]);
        assert_eq!(names(&made[0]), ["/a", "/b", "/"]);
    }

    #[test]
    fn a_redirect_keeps_hosts_apart() {
        let (mut hosts, mut redirecting) = (VirtualHosts::default(), server(80, "HTTP", &[]));
        redirecting.https_redirect = true;
        let source = hosts.source(vec![route("/")], Span::default()).expect("it has routes");
        hosts.add("a.example", &redirecting, source);
        hosts.add("b.example", &server(80, "HTTP", &[]), source);
        hosts.redirect("c.example", &redirecting);
        let made = hosts.finish(80, true, &mut Reached::default());
        let tls: Vec<_> = made
            .iter()
            .map(|host| (host.name.as_str(), host.require_tls, host.routes.len()))
            .collect();
        assert_eq!(
            tls,
            [
                ("a.example:80", "ALL", 1),
                ("b.example:80", "", 1),
                ("c.example:80", "ALL", 0)
            ]
        );
    }

    #[test]
    fn without_hosts_every_request_is_lost() {
        let made = VirtualHosts::default().finish(443, true, &mut Reached::default());
        assert_eq!(
            (made[0].name.as_str(), made[0].domains[0].as_str()),
            ("blackhole:443", "*")
        );
    }
}
