//! What comes to nothing: hosts that another VirtualService has, rules that no request reaches, rules for another protocol
//! than the port's, VirtualServices that a Sidecar leaves out.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Outbound;
use super::groups::is_http_or_sniffed;
use crate::envoy::World;
use crate::envoy::message::Str;
use crate::envoy::registry::{Port, Service};
use crate::envoy::routing::model::VirtualRoutes;
use crate::envoy::routing::{Reached, RoutesId};
use crate::envoy::unused::{Reason, Unused};
use crate::mesh::Protocol;
use crate::source::Span;

/// What became of the hosts and rules of VirtualServices, over all route configurations of a proxy. Only what comes to
/// nothing in all of them is unused.
#[derive(Default)]
pub(super) struct Claims {
    won: FxHashSet<(RoutesId, Str)>,
    lost: FxHashMap<(RoutesId, Str), RoutesId>,
    pub(super) rules: Reached,
}

impl Claims {
    /// A VirtualService has a host.
    pub(super) fn win(&mut self, by: Option<RoutesId>, host: &str) {
        self.won.extend(by.map(|id| (id, Str::new(host))));
    }

    /// A VirtualService does not have a host, as another has it.
    pub(super) fn lose(&mut self, by: Option<RoutesId>, host: &str, owner: Option<RoutesId>) {
        if let (Some(id), Some(owner)) = (by, owner.filter(|owner| Some(*owner) != by)) {
            self.lost.insert((id, Str::new(host)), owner);
        }
    }

    fn unused(&self, world: &World<'_, '_>) -> Vec<Unused> {
        let span_of = |id: RoutesId, host: &str| world.routes.all[id].host_span(host);
        let lost = self.lost.iter().filter(|(claim, _)| !self.won.contains(*claim));
        let mut unused: Vec<Unused> = lost
            .map(|((id, host), owner)| entry(Reason::Shadowed, span_of(*id, host), span_of(*owner, host)))
            .collect();
        unused.extend(self.rules.unused());
        unused.sort_by_key(|unused| unused.span);
        unused.dedup();
        unused
    }
}

fn entry(reason: Reason, span: Span, because: Span) -> Unused {
    Unused {
        reason,
        span,
        because: Some(because),
    }
}

impl Outbound<'_, '_, '_> {
    /// What comes to nothing for this proxy.
    pub(super) fn unused(&self, claims: &Claims) -> Vec<Unused> {
        let mut unused = claims.unused(self.world);
        for id in &self.scope.routes {
            let virtual_routes = &self.world.routes.all[*id];
            for host in &virtual_routes.hosts {
                let imported = self.scope.service(host).filter(|imported| !imported.clusters_only);
                if let Some(imported) = imported {
                    unused.extend(misdirected(virtual_routes, self.service(imported.service)));
                }
            }
        }
        unused.extend(self.left_out());
        unused
    }

    /// VirtualServices of the proxy's own namespace that its Sidecar does not import.
    fn left_out(&self) -> Vec<Unused> {
        let Some(sidecar) = self.scope.sidecar.map(|id| self.world.mesh.header(id).span) else {
            return Vec::new();
        };
        let namespace = self.proxy.namespace;
        let own = self
            .world
            .routes
            .of_gateway("mesh", namespace)
            .filter(|(_, routes)| routes.namespace == namespace);
        let left_out = own.filter(|(id, _)| !self.scope.routes.contains(id));
        left_out
            .map(|(_, routes)| entry(Reason::OutOfScope, routes.span, sidecar))
            .collect()
    }
}

/// Lists of rules for a protocol that no port of the service has.
fn misdirected<'r>(routes: &'r VirtualRoutes<'_>, service: &'r Service<'_, '_>) -> impl Iterator<Item = Unused> + 'r {
    let takes = |test: fn(Protocol) -> bool| {
        let ports = || service.ports.iter().map(|port: &Port| port.protocol);
        ports().next().is_none() || ports().any(test)
    };
    let http = routes
        .http
        .first()
        .map(|rule| (&rule.origin, Reason::NotHttp, takes(is_http_or_sniffed)));
    let tls = routes
        .tls
        .first()
        .map(|rule| (&rule.origin, Reason::NotTcp, takes(Protocol::is_tls)));
    let is_plain = |protocol: Protocol| !protocol.is_http() && !protocol.is_tls() && protocol != Protocol::Udp;
    let tcp = routes
        .tcp
        .first()
        .map(|rule| (&rule.origin, Reason::NotTcp, takes(is_plain)));
    let lists = [http, tls, tcp].into_iter().flatten().filter(|(_, _, fits)| !fits);
    lists.filter_map(|(origin, reason, _)| Some(entry(reason, *origin.0.first()?, service.span)))
}
