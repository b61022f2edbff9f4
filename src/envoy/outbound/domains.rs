//! The names under which clients may ask for a service.

use rustc_hash::FxHashSet;

use super::Outbound;
use crate::envoy::message::Str;
use crate::envoy::registry::Service;

/// The domains of a service.
pub(super) struct Domains {
    /// All of them in Istio's order.
    pub all: Vec<Str>,
    /// Those that are not a host but a form of one.
    pub forms: FxHashSet<Str>,
}

impl<'m, 'a> Outbound<'_, 'm, 'a> {
    /// The domains of a service: its host and those of the aliases that the proxy is told of, each in all forms, the names of pods below them, and the
    /// address (catalogue: listeners, 8, 9 and 12).
    pub(super) fn domains(&self, service: &Service<'m, 'a>) -> Domains {
        let cluster_domain = &self.world.mesh.settings.cluster_domain;
        let mut domains = Domains {
            all: Vec::new(),
            forms: FxHashSet::default(),
        };
        let aliases = service
            .aliases
            .iter()
            .filter(|alias| self.scope.service(alias).is_some());
        for host in std::iter::once(&service.host).chain(aliases) {
            let forms = forms(host, self.proxy.namespace, cluster_domain);
            domains.all.push(host.clone());
            domains.all.extend(forms.iter().cloned());
            domains.forms.extend(forms);
        }
        if service.is_headless() {
            let below: Vec<Str> = domains
                .all
                .iter()
                .map(|domain| Str::from(format!("*.{domain}")))
                .collect();
            domains.all.extend(below);
        }
        domains
            .all
            .extend(self.addresses(service).last().map(|address| bracketed(address)));
        domains
    }
}

/// The other names of a host: with a final dot, and of a Service those without the cluster's domain. A client of another
/// namespace must name the namespace.
fn forms(host: &str, client: &str, cluster_domain: &str) -> Vec<Str> {
    let mut forms = vec![Str::from(format!("{host}."))];
    let within = host
        .strip_suffix(cluster_domain)
        .and_then(|rest| rest.strip_suffix(".svc."));
    if let Some((name, namespace)) = within.and_then(|within| within.split_once('.')) {
        let qualified = Str::from(format!("{name}.{namespace}"));
        let service = Str::from(format!("{name}.{namespace}.svc"));
        if namespace == client {
            forms.extend([Str::new(name), service, qualified]);
        } else {
            forms.extend([qualified, service]);
        }
    }
    forms
}

/// An IPv6 address stands in brackets.
pub(super) fn bracketed(host: &str) -> Str {
    if host.parse::<std::net::Ipv6Addr>().is_ok() {
        Str::from(format!("[{host}]"))
    } else {
        Str::new(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_has_a_short_name_in_its_own_namespace_only() {
        let of = |client| forms("web.shop.svc.cluster.local", client, "cluster.local");
        assert_eq!(
            of("shop"),
            ["web.shop.svc.cluster.local.", "web", "web.shop.svc", "web.shop"]
        );
        assert_eq!(of("pay"), ["web.shop.svc.cluster.local.", "web.shop", "web.shop.svc"]);
        assert_eq!(forms("api.example.com", "shop", "cluster.local"), ["api.example.com."]);
    }
}
