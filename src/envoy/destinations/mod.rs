//! `DestinationRules`: which one holds for a client and a service, and what it says about a port and a subset.
//!
//! Rules of one namespace for one host become one [`MergedRule`]; nothing is ever merged across namespaces. Knows nothing
//! of clusters.

mod backend;
mod hash;
mod index;
mod policy;

pub use backend::{BackendRule, BackendTls};
pub use hash::{hash_policies, hashes_source_address};
pub use index::Destinations;
pub use policy::Policy;

use super::message::{Origin, Str};
use crate::model::istio::{Subset, TrafficPolicy};

/// All rules of a namespace for one host that hold together (catalogue: several rules, 10 to 14).
#[derive(Clone, Debug)]
pub struct MergedRule<'m, 'a> {
    /// The host, with the namespace and the cluster's domain where it is a short one.
    pub host: Str,
    /// The namespace of the rules.
    pub namespace: &'m str,
    /// The path of the oldest of the rules in the API, which clusters name as their `config`.
    pub credit: Str,
    /// The policy of the oldest rule that has one.
    pub traffic_policy: Option<&'m TrafficPolicy<'a>>,
    /// The subsets, each name once.
    pub subsets: Vec<&'m Subset<'a>>,
    /// The labels of the clients that it is for; `None` for all of them.
    pub selector: Option<Vec<(&'a str, &'a str)>>,
    /// TLS that is asked for by other means.
    backend_tls: Vec<BackendTls>,
    /// Where the rules are written.
    pub origin: Origin,
    exported: Vec<&'m str>,
}

impl<'m, 'a> MergedRule<'m, 'a> {
    /// The subset of this name.
    pub fn subset(&self, name: &str) -> Option<&'m Subset<'a>> {
        let named = |subset: &&&'m Subset<'a>| subset.name.is_some_and(|text| text.as_str() == name);
        self.subsets.iter().find(named).copied()
    }
}
