//! The names of clusters in statistics.

use super::Destination;
use crate::envoy::World;
use crate::envoy::message::Str;
use crate::envoy::registry::Service;
use crate::mesh::Provider;

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
    let name = fill(
        pattern.as_str(),
        destination.service,
        port.number,
        &port.name,
        destination.subset_name(),
    );
    Str::from(format!("{name};"))
}

/// A pattern with what stands for service, port and subset put in.
pub fn fill(pattern: &str, service: &Service<'_, '_>, port: u32, port_name: &str, subset: &str) -> String {
    let short = match service.provider {
        Provider::Service(_) => format!("{}.{}", service.name, service.namespace),
        Provider::ServiceEntry(_) => service.host.to_string(),
    };
    let number = port.to_string();
    let values = [
        ("%SERVICE%", short.as_str()),
        ("%SERVICE_NAME%", service.name.as_str()),
        ("%SERVICE_FQDN%", service.host.as_str()),
        ("%SUBSET_NAME%", subset),
        ("%SERVICE_PORT%", number.as_str()),
        ("%TARGET_PORT%", ""),
        ("%SERVICE_PORT_NAME%", port_name),
    ];
    values.iter().fold(pattern.to_owned(), |text, (variable, value)| {
        text.replace(variable, value)
    })
}
