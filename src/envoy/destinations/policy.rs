//! What holds for one port of a service, or of a subset.

use super::MergedRule;
use crate::envoy::environment::Environment;
use crate::model::istio::{
    ClientTlsSettings, ConnectionPoolSettings, LoadBalancerSettings, OutlierDetection, PortTrafficPolicy,
    ProxyProtocol, RetryBudget, Subset, TrafficPolicy, TunnelSettings,
};

/// The effective policy of a port. A block is never merged with another of its kind, only replaced.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "the names are those of the API")]
pub struct Policy<'m, 'a> {
    pub load_balancer: Option<&'m LoadBalancerSettings<'a>>,
    pub connection_pool: Option<&'m ConnectionPoolSettings<'a>>,
    pub outlier_detection: Option<&'m OutlierDetection<'a>>,
    pub tls: Option<&'m ClientTlsSettings<'a>>,
    pub tunnel: Option<&'m TunnelSettings<'a>>,
    pub proxy_protocol: Option<&'m ProxyProtocol<'a>>,
    pub retry_budget: Option<&'m RetryBudget<'a>>,
}

/// `defaultTrafficPolicy` of the mesh.
fn default_policy<'m, 'a>(environment: &Environment<'m, 'a>) -> Policy<'m, 'a> {
    let default = environment.config.default_traffic_policy.as_deref();
    Policy {
        connection_pool: default.and_then(|default| default.connection_pool.as_deref()),
        outlier_detection: default.and_then(|default| default.outlier_detection.as_deref()),
        ..Policy::default()
    }
}

/// A policy at the level of the host: an entry for the port replaces everything (catalogue: merging of policies, 1).
fn of_host<'m, 'a>(policy: &'m TrafficPolicy<'a>, port: u32) -> Policy<'m, 'a> {
    match port_entry(policy, port) {
        Some(entry) => Policy::default().with_port(entry),
        None => Policy::default().with(policy),
    }
}

pub(super) fn port_entry<'m, 'a>(policy: &'m TrafficPolicy<'a>, port: u32) -> Option<&'m PortTrafficPolicy<'a>> {
    policy.port_level_settings.iter().find(|entry| {
        let number = entry.port.as_ref().and_then(|port| port.number);
        number.is_some_and(|number| number.value == i64::from(port))
    })
}

impl<'m, 'a> Policy<'m, 'a> {
    /// The policy of a port of a host, or of a subset of it. Without a rule it is the mesh's default.
    pub fn of(
        environment: &Environment<'m, 'a>,
        rule: Option<&MergedRule<'m, 'a>>,
        port: u32,
        subset: Option<&'m Subset<'a>>,
    ) -> Self {
        let host = rule.and_then(|rule| rule.traffic_policy);
        let host = host.map(|policy| of_host(policy, port)).unwrap_or_default();
        let policy = default_policy(environment).under(host);
        match subset.and_then(|subset| subset.traffic_policy.as_deref()) {
            Some(of_subset) => policy.overridden(of_subset, port),
            None => policy,
        }
    }

    /// Blocks of `over` where it has them, else those of this one.
    fn under(self, over: Self) -> Self {
        Self {
            load_balancer: over.load_balancer.or(self.load_balancer),
            connection_pool: over.connection_pool.or(self.connection_pool),
            outlier_detection: over.outlier_detection.or(self.outlier_detection),
            tls: over.tls.or(self.tls),
            tunnel: over.tunnel.or(self.tunnel),
            proxy_protocol: over.proxy_protocol.or(self.proxy_protocol),
            retry_budget: over.retry_budget.or(self.retry_budget),
        }
    }

    fn with(self, policy: &'m TrafficPolicy<'a>) -> Self {
        self.under(Self {
            load_balancer: policy.load_balancer.as_deref(),
            connection_pool: policy.connection_pool.as_deref(),
            outlier_detection: policy.outlier_detection.as_deref(),
            tls: policy.tls.as_deref(),
            tunnel: policy.tunnel.as_deref(),
            proxy_protocol: policy.proxy_protocol.as_deref(),
            retry_budget: policy.retry_budget.as_deref(),
        })
    }

    /// An entry for a port inherits nothing of what it can set itself.
    fn with_port(self, entry: &'m PortTrafficPolicy<'a>) -> Self {
        Self {
            load_balancer: entry.load_balancer.as_deref(),
            connection_pool: entry.connection_pool.as_deref(),
            outlier_detection: entry.outlier_detection.as_deref(),
            tls: entry.tls.as_deref(),
            ..self
        }
    }

    /// What a subset makes of its host's policy (catalogue: merging of policies, 2 and 3).
    fn overridden(self, subset: &'m TrafficPolicy<'a>, port: u32) -> Self {
        match port_entry(subset, port) {
            Some(entry) => self.with_port(entry),
            None => self.with(subset),
        }
    }
}

impl<'a> MergedRule<'_, 'a> {
    /// The TLS mode by which endpoints are told to speak mTLS. Unlike in a cluster, the host's mode counts even where an
    /// entry for the port has none (catalogue: TLS, 39).
    pub fn tls_mode_of_endpoints(&self, port: u32, subset: Option<&Subset<'a>>) -> Option<&'a str> {
        let levels = |policy: &TrafficPolicy<'a>| {
            let of_port = port_entry(policy, port).and_then(|entry| mode(entry.tls.as_deref()));
            of_port.or_else(|| mode(policy.tls.as_deref()))
        };
        if self.backend_tls(port).is_some() {
            return Some("SIMPLE");
        }
        let of_subset = subset.and_then(|subset| subset.traffic_policy.as_deref());
        of_subset
            .and_then(levels)
            .or_else(|| self.traffic_policy.and_then(levels))
    }
}

fn mode<'a>(tls: Option<&ClientTlsSettings<'a>>) -> Option<&'a str> {
    tls.map(|tls| tls.mode.map_or("DISABLE", |mode| mode.as_str()))
}
