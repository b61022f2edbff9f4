//! The names of clusters in statistics.

use super::Destination;
use crate::envoy::World;
use crate::envoy::message::Str;
use crate::envoy::registry::Service;
use crate::mesh::Provider;

/// What a pattern of names can speak of.
#[derive(Clone, Debug, Default)]
pub struct Named<'n> {
    /// The service's host; empty where a chain takes what nothing names, as the next two.
    pub host: &'n str,
    /// The service's name.
    pub name: &'n str,
    /// The service's name with its namespace; the host of a ServiceEntry.
    pub short: String,
    /// The number of its port.
    pub port: u32,
    /// The name of the port.
    pub port_name: &'n str,
    /// The subset.
    pub subset: &'n str,
    /// The port of the pod; a variable that stays as it is where it is unknown.
    pub target_port: Option<&'n str>,
}

/// `altStatName` of an outbound cluster: by the mesh's pattern, else its name.
pub fn stat_name(world: &World<'_, '_>, destination: &Destination<'_, '_, '_>) -> Str {
    let Some(pattern) = world
        .environment
        .config
        .outbound_cluster_stat_name
        .filter(|pattern| !pattern.is_empty())
    else {
        return Str::from(format!("{};", destination.name()));
    };
    let port = destination.port();
    let name = Named {
        port: port.number,
        port_name: &port.name,
        subset: destination.subset_name(),
        target_port: Some(""),
        ..Named::of(destination.service)
    };
    Str::from(format!("{};", name.fill(pattern.as_str())))
}

impl<'n> Named<'n> {
    /// What can be said of a service.
    pub fn of(service: &'n Service<'_, '_>) -> Self {
        Self {
            host: &service.host,
            name: &service.name,
            short: match service.provider {
                Provider::Service(_) => format!("{}.{}", service.name, service.namespace),
                Provider::ServiceEntry(_) => service.host.to_string(),
            },
            ..Self::default()
        }
    }

    /// A pattern with what stands for service, port and subset put in.
    pub fn fill(&self, pattern: &str) -> String {
        let number = self.port.to_string();
        let values = [
            ("%SERVICE%", self.short.as_str()),
            ("%SERVICE_NAME%", self.name),
            ("%SERVICE_FQDN%", self.host),
            ("%SUBSET_NAME%", self.subset),
            ("%SERVICE_PORT%", number.as_str()),
            ("%TARGET_PORT%", self.target_port.unwrap_or("%TARGET_PORT%")),
            ("%SERVICE_PORT_NAME%", self.port_name),
        ];
        values.iter().fold(pattern.to_owned(), |text, (variable, value)| {
            text.replace(variable, value)
        })
    }
}
