//! Where the rules of a VirtualService lead.

use smallvec::SmallVec;

use super::model::{Action, ConnectionMatch, Destination, HttpRule, VirtualRoutes};
use crate::envoy::scope::Ports;

impl VirtualRoutes<'_> {
    /// Hosts and ports that rules lead clients of a namespace to, in the order of the text. A host that some rule names
    /// without a port is there with all of them.
    pub fn destinations_from(&self, namespace: &str) -> Vec<(&str, Ports)> {
        let mut reached: Vec<(&str, Ports)> = Vec::new();
        for destination in self
            .http
            .iter()
            .filter(|rule| rule.serves(namespace))
            .flat_map(HttpRule::destinations)
        {
            add(&mut reached, destination);
        }
        let serves = |connection: &ConnectionMatch| admits(connection.source_namespace.as_deref(), namespace);
        for rule in &self.tls {
            if rule.matches.is_empty() || rule.matches.iter().any(|entry| serves(&entry.connection)) {
                rule.destinations
                    .iter()
                    .for_each(|weighted| add(&mut reached, &weighted.destination));
            }
        }
        for rule in &self.tcp {
            if rule.matches.is_empty() || rule.matches.iter().any(serves) {
                rule.destinations
                    .iter()
                    .for_each(|weighted| add(&mut reached, &weighted.destination));
            }
        }
        reached
    }
}

impl HttpRule {
    /// Destinations and mirrors.
    pub fn destinations(&self) -> impl Iterator<Item = &Destination> {
        let forwarded = match &self.action {
            Action::Forward(destinations) => destinations.as_slice(),
            Action::Redirect(_) | Action::Respond { .. } => &[],
        };
        let forwarded = forwarded.iter().map(|weighted| &weighted.destination);
        forwarded.chain(self.mirrors.iter().map(|mirror| &mirror.destination))
    }

    /// Whether clients of a namespace may match it.
    fn serves(&self, namespace: &str) -> bool {
        self.matches.is_empty()
            || (self.matches.iter()).any(|entry| admits(entry.source_namespace.as_deref(), namespace))
    }
}

fn admits(source: Option<&str>, namespace: &str) -> bool {
    source.is_none_or(|source| source == namespace)
}

fn add<'r>(reached: &mut Vec<(&'r str, Ports)>, destination: &'r Destination) {
    let ports = destination
        .port
        .map_or(Ports::All, |port| Ports::Only(SmallVec::from_slice(&[port])));
    match reached.iter_mut().find(|(host, _)| *host == destination.host.as_str()) {
        Some((_, known)) => known.join(&ports),
        None => reached.push((&destination.host, ports)),
    }
}
