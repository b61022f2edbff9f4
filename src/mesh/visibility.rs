//! Who sees what: `exportTo` and the hosts that a `Sidecar` imports.

use smallvec::SmallVec;

use super::{HostName, Mesh};
use crate::model::istio::{self, DestinationRule, ServiceEntry, VirtualService};
use crate::model::{Header, Text};

/// The namespaces that a resource is exported to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportTo<'m> {
    /// Everyone.
    All,
    /// These namespaces and nobody else.
    Only(SmallVec<[&'m str; 2]>),
}

impl<'m> ExportTo<'m> {
    /// Reads an `exportTo` list of a resource in `namespace`; `*` is everyone, `.` its own namespace, `~` nobody.
    pub fn new(entries: impl Iterator<Item = &'m str>, namespace: &'m str) -> Self {
        let mut only = SmallVec::new();
        let mut any = false;
        for entry in entries {
            any = true;
            match entry {
                "*" => return Self::All,
                "." => only.push(namespace),
                "~" => {}
                other => only.push(other),
            }
        }
        if any { Self::Only(only) } else { Self::All }
    }

    /// An `exportTo` field, or the mesh's default where it is empty.
    pub fn of(written: &[Text<'m>], default: &'m [String], namespace: &'m str) -> Self {
        if written.is_empty() {
            Self::new(default.iter().map(String::as_str), namespace)
        } else {
            Self::new(written.iter().map(Text::as_str), namespace)
        }
    }

    /// Whether a namespace is among them.
    pub fn admits(&self, namespace: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(only) => only.contains(&namespace),
        }
    }
}

impl<'a> Mesh<'a> {
    /// Every list in a field `exportTo`, with the header of its resource.
    pub fn export_lists(&self) -> impl Iterator<Item = (&Header<'a>, &[Text<'a>])> {
        let routes = self.all::<VirtualService<'_>>();
        let rules = self.all::<DestinationRule<'_>>();
        let entries = self.all::<ServiceEntry<'_>>();
        routes
            .map(|object| (object.header, object.body.export_to.as_slice()))
            .chain(rules.map(|object| (object.header, object.body.export_to.as_slice())))
            .chain(entries.map(|object| (object.header, object.body.export_to.as_slice())))
    }
}

/// One entry of a `Sidecar`'s `egress[].hosts`: `namespace/host`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SidecarHosts<'a> {
    /// The entry takes away instead of adding.
    pub excludes: bool,
    /// A namespace, or `*`.
    pub namespace: &'a str,
    /// A host, or `*`, or `*.suffix`.
    pub host: &'a str,
}

impl<'a> SidecarHosts<'a> {
    /// Reads an entry of a Sidecar that holds for proxies of `namespace`. `~` excludes, `.` is the proxy's namespace.
    pub fn parse(entry: &'a str, namespace: &'a str) -> Option<Self> {
        let (scope, host) = entry.split_once('/')?;
        let (excludes, scope) = scope.strip_prefix('~').map_or((false, scope), |rest| (true, rest));
        let scope = match scope {
            "" => "*",
            "." => namespace,
            other => other,
        };
        Some(Self {
            excludes,
            namespace: scope,
            host,
        })
    }

    /// All entries of a Sidecar; one without egress imports everything.
    pub fn of(sidecar: &istio::Sidecar<'a>, namespace: &'a str) -> Vec<Self> {
        if sidecar.egress.is_empty() {
            return vec![Self {
                excludes: false,
                namespace: "*",
                host: "*",
            }];
        }
        let entries = sidecar.egress.iter().flat_map(|listener| &listener.hosts);
        entries
            .filter_map(|entry| Self::parse(entry.as_str(), namespace))
            .collect()
    }

    /// Whether the entry speaks of a host that lives in `namespace`.
    pub fn covers(&self, namespace: &str, host: &HostName<'_>, mesh: &Mesh<'_>) -> bool {
        (self.namespace == "*" || self.namespace == namespace) && (self.host == "*" || host.is_within(self.host, mesh))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn export_to_names_who_sees_it() {
        let all = ExportTo::new(std::iter::empty(), "shop");
        assert!(all.admits("other"));
        let own = ExportTo::new([".", "pay"].into_iter(), "shop");
        assert!(own.admits("shop") && own.admits("pay") && !own.admits("other"));
        assert!(!ExportTo::new(["~"].into_iter(), "shop").admits("shop"));
        assert!(ExportTo::new([".", "*"].into_iter(), "shop").admits("other"));
    }

    #[test]
    fn sidecar_entries_add_and_take_away() {
        let entry = |text| SidecarHosts::parse(text, "shop");
        assert_eq!(
            entry("./*"),
            Some(SidecarHosts {
                excludes: false,
                namespace: "shop",
                host: "*"
            })
        );
        assert_eq!(
            entry("~/*"),
            Some(SidecarHosts {
                excludes: true,
                namespace: "*",
                host: "*"
            })
        );
        assert_eq!(
            entry("~pay/*"),
            Some(SidecarHosts {
                excludes: true,
                namespace: "pay",
                host: "*"
            })
        );
        assert_eq!(entry("reviews"), None);
    }
}
