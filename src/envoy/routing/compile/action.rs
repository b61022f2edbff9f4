//! Where requests go.

use super::{Compiler, cluster_name, hash_of, waypoint_cluster_name};
use crate::envoy::message::{
    ClusterWeight, FractionalPercent, Json, RegexMatcher, RegexRewrite, RequestMirrorPolicy, RetryPolicy, Route,
    RouteAction, RuntimeFractionalPercent, Str, WeightedClusters,
};
use crate::envoy::registry::{Resolution, Service};
use crate::envoy::routing::model::{
    Destination, Dialect, HttpMatch, HttpRule, Mirror, PathMatch, Retries, Rewrite, WeightedDestination,
};
use crate::envoy::scope::Imported;
use crate::values::regex::quoted;

impl<'m, 'a> Compiler<'_, '_, 'm, 'a> {
    /// Fills in where a route leads. A single destination's changes to headers join those of the route.
    pub(super) fn forward(
        &self,
        rule: &HttpRule,
        entry: Option<&HttpMatch>,
        destinations: &[WeightedDestination],
        route: &mut Route,
    ) {
        let timeout = rule.timeout.clone().unwrap_or(Str::new_static("0s"));
        let mut action = RouteAction {
            max_grpc_timeout: timeout.clone(),
            timeout,
            request_mirror_policies: rule.mirrors.iter().map(|mirror| self.mirror(mirror)).collect(),
            ..RouteAction::default()
        };
        if self.routes.dialect == Dialect::GatewayApi {
            action.cluster_not_found_response_code = "INTERNAL_SERVER_ERROR";
        }
        if let Some(rewrite) = &rule.rewrite {
            self.rewrite(rewrite, entry, &mut action);
        }
        rewrite_host(rule.headers.host.as_ref(), &mut action);
        match destinations {
            [only] => self.single(only, route, &mut action),
            several => self.weighted(several, &mut action),
        }
        let is_hashed = destinations.len() == 1 && !action.hash_policy.is_empty();
        action.retry_policy = self.retry_policy(&rule.retries, is_hashed);
        route.route = Some(Box::new(action));
    }

    fn single(&self, only: &WeightedDestination, route: &mut Route, action: &mut RouteAction) {
        action.cluster = self.cluster(&only.destination);
        action.hash_policy = self.hash(&only.destination);
        let changes = &only.headers;
        route.request_headers_to_add.extend_from_slice(&changes.request);
        route
            .request_headers_to_remove
            .extend_from_slice(&changes.request_remove);
        route.response_headers_to_add.extend_from_slice(&changes.response);
        route
            .response_headers_to_remove
            .extend_from_slice(&changes.response_remove);
        rewrite_host(changes.host.as_ref(), action);
    }

    /// Shares are copied as they are; those of zero are left out (catalogue: routes, 41).
    fn weighted(&self, destinations: &[WeightedDestination], action: &mut RouteAction) {
        let weighty = destinations
            .iter()
            .filter(|weighted| weighted.weight.is_some_and(|weight| weight > 0));
        let clusters = weighty.map(|weighted| {
            action.hash_policy.extend(self.hash(&weighted.destination));
            ClusterWeight {
                name: self.cluster(&weighted.destination),
                host_rewrite_literal: weighted.headers.host.clone().unwrap_or_default(),
                request_headers_to_add: weighted.headers.request.clone(),
                request_headers_to_remove: weighted.headers.request_remove.clone(),
                response_headers_to_add: weighted.headers.response.clone(),
                response_headers_to_remove: weighted.headers.response_remove.clone(),
                weight: weighted.weight,
            }
        });
        action.weighted_clusters = Some(WeightedClusters {
            clusters: clusters.collect(),
        });
    }

    fn mirror(&self, mirror: &Mirror) -> RequestMirrorPolicy {
        let share = mirror.share.clone().unwrap_or_else(|| FractionalPercent::whole(100));
        RequestMirrorPolicy {
            cluster: self.cluster(&mirror.destination),
            disable_shadow_host_suffix_append: true,
            runtime_fraction: Some(RuntimeFractionalPercent {
                default_value: Some(share),
            }),
            trace_sampled: Some(false),
        }
    }

    /// In the Gateway API a prefix is replaced by whole segments, so that one replaced by `/` needs a regular expression
    /// (catalogue: Gateway API routes, 66).
    fn rewrite(&self, rewrite: &Rewrite, entry: Option<&HttpMatch>, action: &mut RouteAction) {
        let prefix = entry.and_then(|entry| match &entry.path {
            Some(PathMatch::Segments(prefix)) if self.routes.dialect != Dialect::Istio => Some(prefix),
            _ => None,
        });
        match (&rewrite.uri_regex, &rewrite.uri, prefix) {
            (Some((pattern, substitution)), _, _) => {
                action.regex_rewrite = Some(regex_rewrite(pattern.clone(), substitution.clone()));
            }
            (None, Some(uri), Some(prefix)) if uri == "/" => {
                let pattern = Str::from(format!("^{}(/?)(.*)", quoted(prefix)));
                action.regex_rewrite = Some(regex_rewrite(pattern, Str::new_static(r"/\2")));
            }
            (None, uri, _) => action.prefix_rewrite = uri.clone().unwrap_or_default(),
        }
        rewrite_host(rewrite.authority.as_ref(), action);
    }

    /// Requests that are hashed to one destination come to the same endpoint again, so that none is left out of a retry
    /// (catalogue: routes, 50).
    fn retry_policy(&self, retries: &Retries, is_hashed: bool) -> Option<RetryPolicy> {
        let mut policy = match retries {
            Retries::Mesh => self.world.routes.default_retries.clone()?,
            Retries::Never => return None,
            Retries::Policy(policy) => (**policy).clone(),
        };
        if is_hashed {
            policy.retry_host_predicate.clear();
        }
        Some(policy)
    }

    fn service(&self, host: &str) -> Option<(&Imported, &Service<'m, 'a>)> {
        let imported = self.asker.scope.service(host)?;
        Some((imported, &self.world.registry.services[imported.service]))
    }

    /// The cluster of a destination, known or not. An alias that has the listener's port leads to what it stands for
    /// (catalogue: services, 13; routes, 38 and 40).
    pub(super) fn cluster(&self, destination: &Destination) -> Str {
        if let Some(cluster) = &destination.cluster {
            return cluster.clone();
        }
        let known = self.service(&destination.host);
        let on_port = |(imported, service): &(&Imported, &Service<'m, 'a>)| {
            self.asker.whole_services || imported.ports(service).any(|port| port.number == self.asker.port)
        };
        let known = known.filter(on_port);
        let alias = known.filter(|(_, service)| service.resolution == Resolution::Alias);
        let host = alias
            .and_then(|(_, service)| service.external_name.as_ref())
            .unwrap_or(&destination.host);
        let only_port = known
            .filter(|_| self.asker.whole_services)
            .and_then(|(imported, service)| {
                let mut ports = imported.ports(service);
                ports.next().filter(|_| ports.next().is_none())
            });
        let port = destination
            .port
            .or(only_port.map(|port| port.number))
            .unwrap_or(self.asker.port);
        if self
            .asker
            .waypoint
            .is_some_and(|waypoint| waypoint.hosts.contains(host))
        {
            return waypoint_cluster_name(port, "http", &destination.subset, host);
        }
        cluster_name(port, &destination.subset, host)
    }

    fn hash(&self, destination: &Destination) -> Vec<Json> {
        let Some((_, service)) = self.service(&destination.host) else {
            return Vec::new();
        };
        let port = destination.port.unwrap_or_default();
        hash_of(self.world, self.asker.proxy, service, port, &destination.subset)
    }
}

/// The first to say so decides what the host becomes.
fn rewrite_host(host: Option<&Str>, action: &mut RouteAction) {
    if let (true, Some(host)) = (action.host_rewrite_literal.is_empty(), host) {
        action.host_rewrite_literal = host.clone();
    }
}

fn regex_rewrite(regex: Str, substitution: Str) -> RegexRewrite {
    RegexRewrite {
        pattern: RegexMatcher { regex },
        substitution,
    }
}
