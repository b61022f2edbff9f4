//! The ports of a pod that take traffic by name: those of its Services, or those that its Sidecar lists.

use std::collections::BTreeMap;

use super::backends::ServiceTarget;
use crate::envoy::World;
use crate::envoy::message::{Origin, Str};
use crate::envoy::pods::PodGroup;
use crate::envoy::registry::ServiceId;
use crate::envoy::scope::Scope;
use crate::mesh::{Object, Protocol};
use crate::model::istio::{ConnectionPoolSettings, IstioIngressListener, ServerTlsSettings, Sidecar};

/// A port of the pod that takes traffic.
#[derive(Debug)]
pub struct InboundPort<'m, 'a> {
    /// The number at which the pod listens.
    pub number: u32,
    /// The address in the names of its chains.
    pub bind: Str,
    /// Whether it is a listener of its own, as nothing is redirected.
    pub is_bound: bool,
    /// What is spoken.
    pub protocol: Protocol,
    /// The number by which clients know it; that of the pod where a Sidecar lists it.
    pub service_port: u32,
    /// The port's name.
    pub port_name: Str,
    /// The host that traces name.
    pub host: Str,
    /// The services behind whose port it is; the first decides, others have a port of the same number.
    pub services: Vec<ServiceId>,
    /// Where the application is.
    pub endpoint: LocalEndpoint,
    /// The connection pool that the Sidecar gives.
    pub connection_pool: Option<&'m ConnectionPoolSettings<'a>>,
    /// The user's own TLS, where istiod heeds it.
    pub tls: Option<&'m ServerTlsSettings<'a>>,
    /// The path of the Sidecar in the API.
    pub credit: Option<Str>,
    /// The Services or the Sidecar.
    pub origin: Origin,
}

/// Where the application of a port is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalEndpoint {
    /// Where the client wanted to go.
    Original,
    /// A port of the loopback interface.
    Loopback(Str, u32),
    /// A port at the pod's own address.
    Pod(u32),
    /// A socket of the file system.
    Socket(Str),
}

/// The ports of a pod by their numbers. What a Sidecar lists replaces what Services say (catalogue: Inbound, 65), or
/// precedes it where istiod is told so.
pub fn ports<'m, 'a>(world: &World<'m, 'a>, proxy: &PodGroup<'m, 'a>, scope: &Scope) -> Vec<InboundPort<'m, 'a>> {
    let targets = world.backends.targets(world, proxy);
    let sidecar = scope.sidecar.and_then(|id| world.mesh.object::<Sidecar<'a>>(id));
    let pool = sidecar.and_then(|sidecar| sidecar.body.inbound_connection_pool.as_deref());
    let sidecar = sidecar.filter(|sidecar| !sidecar.body.ingress.is_empty());
    let listed = sidecar.into_iter().flat_map(|sidecar| {
        let listeners = sidecar.body.ingress.iter();
        listeners
            .filter_map(|listener| of_listener(world, proxy, sidecar, listener, &targets))
            .collect::<Vec<_>>()
    });
    let listed: Vec<InboundPort<'m, 'a>> = listed.collect();
    let merges = world
        .environment
        .flag("PILOT_ALLOW_SIDECAR_SERVICE_INBOUND_LISTENER_MERGE", false);
    let served = (sidecar.is_none() || merges).then(|| of_services(world, targets));
    let ports = listed.into_iter().chain(served.into_iter().flatten());
    by_number(ports.map(|port| InboundPort {
        connection_pool: port.connection_pool.or(pool),
        ..port
    }))
}

/// The first of each number.
fn by_number<'m, 'a>(ports: impl Iterator<Item = InboundPort<'m, 'a>>) -> Vec<InboundPort<'m, 'a>> {
    let mut known: BTreeMap<u32, InboundPort<'m, 'a>> = BTreeMap::new();
    for port in ports {
        known.entry(port.number).or_insert(port);
    }
    known.into_values().collect()
}

/// The first service and the first of its ports decide (catalogue: Inbound, 63). The cluster's metadata tell the others that
/// have a port of the same number.
fn of_services<'m, 'a>(
    world: &World<'m, 'a>,
    targets: Vec<ServiceTarget>,
) -> impl Iterator<Item = InboundPort<'m, 'a>> {
    let mut known: BTreeMap<u32, InboundPort<'m, 'a>> = BTreeMap::new();
    let to_localhost = world.environment.inbound_to_localhost();
    for target in targets {
        let service = &world.registry.services[target.service];
        let port = known.entry(target.number).or_insert_with(|| InboundPort {
            number: target.number,
            bind: Str::new_static("0.0.0.0"),
            is_bound: false,
            protocol: target.port.protocol,
            service_port: target.port.number,
            port_name: target.port.name,
            host: service.host.clone(),
            services: Vec::new(),
            endpoint: if to_localhost {
                LocalEndpoint::Loopback(Str::new_static("127.0.0.1"), target.number)
            } else {
                LocalEndpoint::Original
            },
            connection_pool: None,
            tls: None,
            credit: None,
            origin: Origin::default(),
        });
        if target.port.number == port.service_port && !port.services.contains(&target.service) {
            port.services.push(target.service);
            port.origin.add(service.span);
        }
    }
    known.into_values()
}

fn of_listener<'m, 'a>(
    world: &World<'m, 'a>,
    proxy: &PodGroup<'m, 'a>,
    sidecar: Object<'m, 'a, Sidecar<'a>>,
    listener: &'m IstioIngressListener<'a>,
    targets: &[ServiceTarget],
) -> Option<InboundPort<'m, 'a>> {
    let port = listener.port.as_deref()?;
    let number = u32::try_from(port.number?.value).ok()?;
    let header = sidecar.header;
    let written = port.protocol.and_then(|name| Protocol::from_name(name.as_str()));
    let tls = listener.tls.as_deref();
    let tls = tls.filter(|_| world.environment.flag("ENABLE_TLS_ON_SIDECAR_INGRESS", false));
    let service = targets.iter().find(|target| target.number == number);
    let bind = listener.bind.filter(|bind| !bind.is_empty());
    Some(InboundPort {
        number,
        is_bound: listener.capture_mode.is_some_and(|mode| mode.as_str() == "NONE"),
        bind: bind.map_or_else(|| proxy.address(0, world.mesh), |bind| Str::new(bind.as_str())),
        protocol: match written.unwrap_or(Protocol::Auto) {
            Protocol::Https if tls.is_some() => Protocol::Http,
            Protocol::Tls if tls.is_some() => Protocol::Tcp,
            protocol => protocol,
        },
        service_port: number,
        port_name: port.name.map_or(Str::default(), |name| Str::new(name.as_str())),
        host: Str::from(format!("{}.{}", header.name, header.namespace)),
        services: service.map(|target| target.service).into_iter().collect(),
        endpoint: local_endpoint(listener.default_endpoint.map_or("", |endpoint| endpoint.as_str())),
        connection_pool: listener.connection_pool.as_deref(),
        tls,
        credit: Some(Str::from(format!(
            "/apis/networking.istio.io/v1/namespaces/{}/sidecar/{}",
            header.namespace, header.name
        ))),
        origin: Origin::of(listener.span),
    })
}

/// `defaultEndpoint`: a socket of the file system, a port of the loopback interface or at the pod's own address.
fn local_endpoint(text: &str) -> LocalEndpoint {
    if let Some(path) = text.strip_prefix("unix://") {
        return LocalEndpoint::Socket(Str::new(path));
    }
    let Some((host, port)) = text.rsplit_once(':') else {
        return LocalEndpoint::Original;
    };
    let Ok(port) = port.parse() else {
        return LocalEndpoint::Original;
    };
    match host {
        "127.0.0.1" => LocalEndpoint::Loopback(Str::new_static("127.0.0.1"), port),
        "[::1]" | "::1" => LocalEndpoint::Loopback(Str::new_static("::1"), port),
        _ => LocalEndpoint::Pod(port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_local() {
        let loopback = |host, port| LocalEndpoint::Loopback(Str::new_static(host), port);
        assert_eq!(local_endpoint("127.0.0.1:8080"), loopback("127.0.0.1", 8080));
        assert_eq!(local_endpoint("[::1]:8080"), loopback("::1", 8080));
        assert_eq!(local_endpoint("0.0.0.0:81"), LocalEndpoint::Pod(81));
        assert_eq!(
            local_endpoint("unix:///run/a.sock"),
            LocalEndpoint::Socket(Str::new_static("/run/a.sock"))
        );
        for text in ["", "127.0.0.1", "127.0.0.1:http"] {
            assert_eq!(local_endpoint(text), LocalEndpoint::Original, "{text}");
        }
    }
}
