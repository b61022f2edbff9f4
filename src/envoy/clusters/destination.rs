//! What a cluster is for: a port of a service, or of one of its subsets, as a client sees it.

use crate::envoy::World;
use crate::envoy::destinations::{MergedRule, Policy};
use crate::envoy::message::Str;
use crate::envoy::mtls::Mode;
use crate::envoy::pods::PodGroup;
use crate::envoy::registry::{Endpoint, Hbone, Port, Resolution, Service, ServiceId};
use crate::envoy::scope::Scope;
use crate::mesh::{Protocol, Provider};
use crate::model::istio::Subset;

/// A port of a service, or of a subset, and the policy that a client follows for it.
#[derive(Clone, Debug)]
pub struct Destination<'w, 'm, 'a> {
    /// The service.
    pub service: &'w Service<'m, 'a>,
    /// The port's place among those of the service.
    pub port_index: usize,
    /// The rule that the client follows.
    pub rule: Option<&'w MergedRule<'m, 'a>>,
    /// The subset; `None` for all endpoints.
    pub subset: Option<&'m Subset<'a>>,
    /// The policy in effect.
    pub policy: Policy<'m, 'a>,
    /// The policy of the whole service for the port.
    pub host_policy: Policy<'m, 'a>,
    /// Whether the cluster is for connections that a gateway passes through by their SNI.
    pub by_sni: bool,
}

/// All that a proxy has outbound clusters for.
pub fn destinations<'w, 'm, 'a>(
    world: &'w World<'m, 'a>,
    proxy: &'w PodGroup<'m, 'a>,
    scope: &'w Scope,
) -> impl Iterator<Item = Destination<'w, 'm, 'a>> {
    scope.services.iter().flat_map(move |imported| {
        let rule = world
            .destinations
            .rule_for(proxy, &world.registry.services[imported.service]);
        let all = of_service(world, imported.service, rule);
        all.filter(|destination| imported.ports.has(destination.port().number))
    })
}

/// All that a service has outbound clusters for, under the rule that a client follows.
pub(super) fn of_service<'w, 'm, 'a>(
    world: &'w World<'m, 'a>,
    service: ServiceId,
    rule: Option<&'w MergedRule<'m, 'a>>,
) -> impl Iterator<Item = Destination<'w, 'm, 'a>> {
    let service = &world.registry.services[service];
    let ports = service
        .ports
        .iter()
        .enumerate()
        .filter(move |(_, port)| port.protocol != Protocol::Udp && service.resolution != Resolution::Alias);
    ports.flat_map(move |(port_index, _)| of_port(world, service, port_index, rule))
}

/// The port itself and its subsets; names that DNS finds while requests run have no subsets.
pub fn of_port<'w, 'm, 'a>(
    world: &'w World<'m, 'a>,
    service: &'w Service<'m, 'a>,
    port_index: usize,
    rule: Option<&'w MergedRule<'m, 'a>>,
) -> impl Iterator<Item = Destination<'w, 'm, 'a>> {
    let number = service.ports[port_index].number;
    let host_policy = Policy::of(&world.environment, rule, number, None);
    let subsets = rule
        .into_iter()
        .filter(|_| service.resolution != Resolution::DynamicDns);
    let subsets = subsets.flat_map(|rule| rule.subsets.iter().map(|subset| Some(*subset)));
    std::iter::once(None).chain(subsets).map(move |subset| Destination {
        service,
        port_index,
        rule,
        subset,
        policy: match subset {
            Some(_) => Policy::of(&world.environment, rule, number, subset),
            None => host_policy,
        },
        host_policy,
        by_sni: false,
    })
}

impl<'w, 'm, 'a> Destination<'w, 'm, 'a> {
    /// The port.
    pub fn port(&self) -> &'w Port {
        &self.service.ports[self.port_index]
    }

    /// The name of the subset; empty without one.
    pub fn subset_name(&self) -> &'a str {
        self.subset
            .and_then(|subset| subset.name)
            .map_or("", |name| name.as_str())
    }

    /// The name of the cluster: `outbound|80|v1|web.shop.svc.cluster.local`, or its SNI where it is chosen by that.
    pub fn name(&self) -> Str {
        if self.by_sni {
            return self.sni();
        }
        self.joined("outbound|", "|")
    }

    /// The name that clients of the mesh ask for in TLS, `outbound_.80_.v1_.web.shop.svc.cluster.local`.
    pub fn sni(&self) -> Str {
        self.joined("outbound_.", "_.")
    }

    fn joined(&self, start: &str, between: &str) -> Str {
        let (port, subset, host) = (self.port().number, self.subset_name(), &self.service.written_host);
        Str::from(format!("{start}{port}{between}{subset}{between}{host}"))
    }

    /// The endpoints of the port, whatever the subset.
    pub fn endpoints(&self) -> &'w [Endpoint] {
        &self.service.endpoints[self.port_index]
    }

    /// Whether ztunnel serves all of its endpoints.
    pub fn is_behind_ztunnel(&self) -> bool {
        let endpoints = self.endpoints();
        !endpoints.is_empty() && endpoints.iter().all(|endpoint| endpoint.hbone == Hbone::Ztunnel)
    }

    /// The identities of all endpoints of the service, in every trust domain.
    pub fn identities(&self) -> Vec<Str> {
        self.service.identities.to_vec()
    }

    /// The names that certificates may have where the rule does not say: the identities of a ServiceEntry (catalogue: TLS, 42).
    pub fn accepted_names(&self) -> Vec<Str> {
        match self.service.provider {
            Provider::ServiceEntry(_) => self.identities(),
            Provider::Service(_) => Vec::new(),
        }
    }

    /// Whether clients speak mTLS without being told: the namespace takes it, and where addresses are the application's
    /// choice all endpoints do (catalogue: TLS, 38, 43 to 45).
    pub fn speaks_mtls(&self, world: &World<'m, 'a>) -> bool {
        let own = match self.subset {
            Some(subset) => subset
                .traffic_policy
                .as_deref()
                .and_then(|policy| policy.load_balancer.as_deref()),
            None => self.policy.load_balancer,
        };
        let unchosen = self.service.resolution == Resolution::Passthrough || super::passes_through(own);
        let endpoints = self.endpoints();
        !self.service.external
            && world.environment.auto_mtls
            && world.mtls.of_namespace(self.service.namespace) != Mode::Disable
            && (!unchosen || !endpoints.is_empty() && endpoints.iter().all(|endpoint| endpoint.mtls))
    }
}
