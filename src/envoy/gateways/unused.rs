//! Which routes come to nothing at the gateways of a proxy.

use super::model::{GatewayServers, Server, ServerTls};
use super::tcp::serves;
use crate::envoy::World;
use crate::envoy::message::{Origin, Str};
use crate::envoy::pods::PodGroup;
use crate::envoy::routing::model::{ConnectionMatch, HttpMatch, VirtualRoutes};
use crate::envoy::unused::{Reason, Unused};
use crate::source::Span;

/// The routes at some gateways that none of their servers takes up.
pub fn unused(world: &World<'_, '_>, proxy: &PodGroup<'_, '_>, gateways: &[&GatewayServers<'_>]) -> Vec<Unused> {
    let mut unused = Vec::new();
    for gateway in gateways {
        let key = gateway.key();
        for (_, routes) in world.routes.of_gateway(&key, proxy.namespace) {
            let servers: Vec<&Server> = gateway.servers.iter().filter(|server| serves(server, routes)).collect();
            if servers.is_empty() {
                unused.push(entry(Reason::HostNotServed, routes.span, Some(gateway.span)));
            } else {
                let at = At {
                    gateway: &key,
                    span: gateway.span,
                    servers,
                };
                at.http(routes, &mut unused);
                at.connections(routes, &mut unused);
            }
        }
    }
    unused
}

fn entry(reason: Reason, span: Span, because: Option<Span>) -> Unused {
    Unused { reason, span, because }
}

/// A gateway, and those of its servers that share a host with the routes in question.
struct At<'u> {
    gateway: &'u Str,
    span: Span,
    servers: Vec<&'u Server>,
}

impl At<'_> {
    fn http(&self, routes: &VirtualRoutes<'_>, unused: &mut Vec<Unused>) {
        let takes_http = self.servers.iter().any(|server| server.is_http());
        let rules = routes.http.iter();
        if !takes_http {
            rules.for_each(|rule| self.add(Reason::NotHttp, &rule.origin, unused));
            return;
        }
        let lost = |condition: &&HttpMatch| {
            self.is_meant(&condition.gateways)
                && condition.port.is_some_and(|port| !self.has_port(port, Server::is_http))
        };
        let conditions = rules.flat_map(|rule| &rule.matches).filter(lost);
        conditions.for_each(|condition| self.add(Reason::NoServer, &condition.origin, unused));
    }

    fn connections(&self, routes: &VirtualRoutes<'_>, unused: &mut Vec<Unused>) {
        for rule in &routes.tcp {
            self.rule(
                &rule.origin,
                &rule.matches.iter().collect::<Vec<_>>(),
                takes_tcp,
                unused,
            );
        }
        for rule in &routes.tls {
            let conditions: Vec<_> = rule.matches.iter().map(|condition| &condition.connection).collect();
            self.rule(&rule.origin, &conditions, passes_tls, unused);
        }
    }

    fn rule(
        &self,
        origin: &Origin,
        conditions: &[&ConnectionMatch],
        takes: fn(&Server) -> bool,
        unused: &mut Vec<Unused>,
    ) {
        let lost = |condition: &&ConnectionMatch| {
            self.is_meant(&condition.gateways) && condition.port.is_some_and(|port| !self.has_port(port, takes))
        };
        if !self.servers.iter().any(|server| takes(server)) {
            self.add(Reason::NotTcp, origin, unused);
        } else if !conditions.is_empty() && conditions.iter().all(lost) {
            self.add(Reason::NoServer, origin, unused);
        }
    }

    /// Whether a condition is for this gateway.
    fn is_meant(&self, gateways: &[Str]) -> bool {
        gateways.is_empty() || gateways.contains(self.gateway)
    }

    fn has_port(&self, port: u32, takes: fn(&Server) -> bool) -> bool {
        self.servers.iter().any(|server| server.port == port && takes(server))
    }

    fn add(&self, reason: Reason, origin: &Origin, unused: &mut Vec<Unused>) {
        let place = origin.0.first();
        unused.extend(place.map(|span| entry(reason, *span, Some(self.span))));
    }
}

fn takes_tcp(server: &Server) -> bool {
    !server.is_http() && !passes_tls(server)
}

fn passes_tls(server: &Server) -> bool {
    server.tls == ServerTls::Passthrough
}
