//! Trust domains in policies: a principal of one domain of the mesh stands for those of all (catalogue: policies, 41).

use crate::envoy::environment::Environment;
use crate::envoy::message::Str;

/// The domains of a mesh, its own first.
#[derive(Clone, Debug)]
pub(super) struct TrustDomains(Vec<Str>);

impl TrustDomains {
    pub(super) fn of(environment: &Environment<'_, '_>) -> Self {
        let mut domains: Vec<Str> = Vec::new();
        for domain in environment.trust_domains() {
            if !domains.contains(domain) {
                domains.push(domain.clone());
            }
        }
        Self(domains)
    }

    /// The principals that one stands for. One of another shape than `domain/ns/N/sa/S`, or of a domain that is not the
    /// mesh's, stands for itself.
    pub(super) fn principals(&self, principal: &str) -> Vec<Str> {
        let Some((domain, identity)) = principal.split_once('/') else {
            return vec![Str::new(principal)];
        };
        if domain == "*" || identity.split('/').count() != 4 || !self.has(domain) {
            return vec![Str::new(principal)];
        }
        let of_domain = |own: &Str| {
            if is_suffix_of(own, domain) {
                Str::new(principal)
            } else {
                Str::from(format!("{own}/{identity}"))
            }
        };
        self.0.iter().map(of_domain).collect()
    }

    /// The domains that one stands for.
    pub(super) fn domains(&self, domain: &str) -> Vec<Str> {
        if domain == "*" || !self.has(domain) {
            return vec![Str::new(domain)];
        }
        let of_domain = |own: &Str| {
            if is_suffix_of(own, domain) {
                Str::new(domain)
            } else {
                own.clone()
            }
        };
        self.0.iter().map(of_domain).collect()
    }

    /// Whether it is one of the mesh's, or a wildcard that covers one. `cluster.local` stands for any mesh's own.
    fn has(&self, domain: &str) -> bool {
        domain == "cluster.local"
            || self
                .0
                .iter()
                .any(|own| own == domain || covers(domain, own) || covers(own, domain))
    }
}

fn covers(pattern: &str, text: &str) -> bool {
    is_suffix_of(text, pattern) || pattern.strip_suffix('*').is_some_and(|prefix| text.starts_with(prefix))
}

fn is_suffix_of(text: &str, pattern: &str) -> bool {
    pattern.strip_prefix('*').is_some_and(|suffix| text.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(principal: &str) -> Vec<Str> {
        TrustDomains(vec!["here".into(), "old-name".into()]).principals(principal)
    }

    #[test]
    fn principals_of_the_mesh_stand_for_all_of_its_domains() {
        let both = ["here/ns/a/sa/b", "old-name/ns/a/sa/b"];
        assert_eq!(expand("old-name/ns/a/sa/b"), both);
        assert_eq!(expand("cluster.local/ns/a/sa/b"), both);
        assert_eq!(expand("*-name/ns/a/sa/b"), ["here/ns/a/sa/b", "*-name/ns/a/sa/b"]);
    }

    #[test]
    fn other_principals_stand_for_themselves() {
        for principal in ["*", "elsewhere/ns/a/sa/b", "*/ns/a/sa/b", "here/ns/a/*", "here"] {
            assert_eq!(expand(principal), [principal]);
        }
    }
}
