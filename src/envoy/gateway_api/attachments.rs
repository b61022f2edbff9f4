//! Where routes attach: to listeners of Gateways, or to services of the mesh.

use super::Context;
use super::grants::GROUP;
use super::listeners::{Parent, RouteKind};
use crate::envoy::message::Str;
use crate::model::gateway_api::ParentReference;
use crate::model::{Header, Text};
use crate::values::host::{is_covered, overlap};

/// A route before its rules are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Attaching<'m, 'a> {
    /// Its header.
    pub header: &'m Header<'a>,
    /// Its kind.
    pub kind: RouteKind,
    /// Its hostnames.
    pub hostnames: &'m [Text<'a>],
    /// Where it wants to attach.
    pub parents: &'m [ParentReference<'a>],
}

/// A place where a route attaches.
#[derive(Debug)]
pub enum Attachment<'l, 'm, 'a> {
    /// A listener of a Gateway.
    Listener {
        /// The listener.
        parent: &'l Parent<'m, 'a>,
        /// The hostnames that no other listener of the port owns.
        hosts: Vec<Str>,
    },
    /// A service of the mesh.
    Service(ServiceAttachment),
}

/// A service to which a route attaches.
#[derive(Debug)]
pub struct ServiceAttachment {
    /// Its full host, or the hosts of a ServiceEntry.
    pub hosts: Vec<Str>,
    /// The only port that is meant.
    pub port: Option<u32>,
    /// Whether the route lives in the service's namespace and so holds for everyone.
    pub producer: bool,
}

/// Where a route attaches: to services and listeners that exist and admit it.
pub fn attachments<'l, 'm, 'a>(
    context: &'l Context<'_, 'm, 'a>,
    route: Attaching<'m, 'a>,
) -> Vec<Attachment<'l, 'm, 'a>> {
    let mut attachments = Vec::new();
    for reference in route.parents {
        let own = route.header.namespace.as_str();
        let namespace = reference.namespace.map_or(own, |namespace| namespace.as_str());
        let name = reference.name.map_or("", |name| name.as_str());
        let group = reference.group.map_or(GROUP, |group| group.as_str());
        match (group, reference.kind.map_or("Gateway", |kind| kind.as_str())) {
            (GROUP, "Gateway") => {
                let listeners = context.listeners.of_gateway(namespace, name);
                let admitting = listeners.iter().filter(|parent| admits(parent, reference, route));
                attachments.extend(admitting.map(|parent| Attachment::Listener {
                    parent,
                    hosts: own_hosts(parent, listeners, route.hostnames),
                }));
            }
            (_, kind) => {
                let hosts = service_hosts(context, (group, kind), namespace, name);
                if !hosts.is_empty() {
                    attachments.push(Attachment::Service(ServiceAttachment {
                        hosts,
                        port: reference.port.and_then(|port| u32::try_from(port.value).ok()),
                        producer: own == namespace,
                    }));
                }
            }
        }
    }
    attachments
}

/// Whether a listener is the one meant and takes the route: by section, port, kind, hostname and namespace.
fn admits(parent: &Parent<'_, '_>, reference: &ParentReference<'_>, route: Attaching<'_, '_>) -> bool {
    let section = reference.section_name.filter(|section| !section.is_empty());
    let own_section = parent.listener.name.map_or("", |name| name.as_str());
    let is_meant = section.is_none_or(|section| section.as_str() == own_section)
        && reference
            .port
            .is_none_or(|port| u32::try_from(port.value) == Ok(parent.port()));
    let from = route.header.namespace.as_str();
    let mut from_here = parent
        .hosts
        .iter()
        .filter(|host| host.namespace == "*" || host.namespace == from);
    let fits = |host: &str| route.hostnames.is_empty() || route.hostnames.iter().any(|name| overlap(host, name));
    is_meant && parent.kinds.contains(&route.kind) && from_here.any(|host| fits(&host.host))
}

/// The hostnames of a route that a listener keeps: those that it shares, and that no other listener of its port and
/// protocol has a nearer hostname for (catalogue: gateways, 61).
fn own_hosts(parent: &Parent<'_, '_>, siblings: &[Parent<'_, '_>], hostnames: &[Text<'_>]) -> Vec<Str> {
    let own = parent.hostname();
    let shares = |host: &str| own.is_empty() || overlap(host, own);
    let rivals = siblings.iter().filter(|other| {
        other.port() == parent.port() && other.protocol() == parent.protocol() && other.hostname() != own
    });
    let rivals: Vec<&str> = rivals
        .map(Parent::hostname)
        .filter(|hostname| !hostname.is_empty() && hostname.len() >= own.len())
        .collect();
    let is_exact = !own.is_empty() && !own.starts_with('*');
    let keeps = |host: &str| is_exact || shares(host) && !rivals.iter().any(|rival| is_covered(host, rival));
    let written = hostnames.iter().map(Text::as_str);
    let any = hostnames.is_empty().then_some("*");
    written.chain(any).filter(|host| keeps(host)).map(Str::new).collect()
}

/// The hosts of a Service or a ServiceEntry; none if it does not exist.
fn service_hosts(context: &Context<'_, '_, '_>, kind: (&str, &str), namespace: &str, name: &str) -> Vec<Str> {
    match kind {
        ("" | "core", "Service") => {
            let domain = &context.mesh.settings.cluster_domain;
            let host = Str::from(format!("{name}.{namespace}.svc.{domain}"));
            let exists = !context.registry.of_host(&host).is_empty();
            Vec::from_iter(exists.then_some(host))
        }
        ("networking.istio.io", "ServiceEntry") => {
            let hosts = context.other_services.get(&(namespace, name));
            hosts.cloned().unwrap_or_default()
        }
        _ => Vec::new(),
    }
}
