//! The ports at which proxies meet a `VirtualService`: those of its hosts in the mesh, those of servers at gateways.

use smallvec::SmallVec;

use super::{GatewayRef, Host, Lookup, Mesh, Object, Protocol, Provider, protocol};
use crate::model::istio::{Gateway, RouteKind, Server, ServiceEntry, VirtualService};
use crate::model::{Text, kubernetes};
use crate::source::Span;
use crate::yaml::is_placeholder;

/// A port at which proxies meet a `VirtualService`, and which lists of its routes have an effect there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// The number that clients use.
    pub number: i64,
    /// The Gateway whose server it is; `None` for a port of a host.
    pub gateway: Option<GatewayRef>,
    /// Whether `http` has an effect.
    pub http: bool,
    /// Whether `tls` has an effect.
    pub tls: bool,
    /// Whether `tcp` has an effect.
    pub tcp: bool,
    /// The port that pods listen on, where it is another number.
    pub target: Option<i64>,
    /// What it carries, in a word.
    pub carries: &'static str,
    /// Where it is written.
    pub span: Span,
}

impl Door {
    /// Whether a list of routes has an effect there.
    pub fn takes(&self, kind: RouteKind) -> bool {
        match kind {
            RouteKind::Http => self.http,
            RouteKind::Tls => self.tls,
            RouteKind::Tcp => self.tcp,
        }
    }
}

/// Ports at which proxies meet a `VirtualService`.
pub type Doors = SmallVec<[Door; 4]>;

impl<'a> Mesh<'a> {
    /// All ports of a `VirtualService`; unknown unless every host that sidecars use and every gateway is in the input.
    pub fn doors(&self, virtual_service: Object<'_, 'a, VirtualService<'a>>) -> Lookup<Doors> {
        let header = virtual_service.header;
        let mut doors = Doors::new();
        if header.patched || virtual_service.placeholders {
            return Lookup::Unknown;
        }
        if virtual_service.in_mesh() {
            for host in &virtual_service.hosts {
                let Lookup::Found(host) = self.host(host, header) else {
                    return Lookup::Unknown;
                };
                if !self.host_doors(&host, &mut doors) {
                    return Lookup::Unknown;
                }
            }
        }
        for reference in virtual_service.gateways.iter().filter(|name| name.as_str() != "mesh") {
            let Lookup::Found(gateway) = self.gateway(reference, header) else {
                return Lookup::Unknown;
            };
            if !self.gateway_doors(gateway, virtual_service, &mut doors) {
                return Lookup::Unknown;
            }
        }
        Lookup::Found(doors)
    }

    /// The ports of a host; none if not all of them are known.
    pub fn doors_of(&self, host: &Host<'_>) -> Option<Doors> {
        let mut doors = Doors::new();
        self.host_doors(host, &mut doors).then_some(doors)
    }

    /// Adds the ports of a host; false if not all of them are known.
    fn host_doors(&self, host: &Host<'_>, doors: &mut Doors) -> bool {
        host.providers.iter().all(|provider| match provider {
            Provider::Service(id) => {
                let Some(service) = self.object::<kubernetes::Service<'a>>(*id) else {
                    return false;
                };
                let alias = service.type_name.is_some_and(|name| name.as_str() == "ExternalName");
                let headless = service.cluster_ip.is_some_and(|address| address.as_str() == "None");
                let ports = service.body.ports.iter().map(|port| of_service_port(port, headless));
                add_all(ports, doors) && !alias && !service.header.patched
            }
            Provider::ServiceEntry(id) => self.object::<ServiceEntry<'a>>(*id).is_some_and(|entry| {
                let ports = entry.body.ports.iter().map(|port| {
                    let protocol = port.protocol.filter(|name| !is_placeholder(name.as_str()))?;
                    let protocol = Protocol::from_name(protocol.as_str())?;
                    let target = port.target_port.map(|target| target.value);
                    Some(of_protocol(port.number?.value, target, protocol, port.span))
                });
                add_all(ports, doors) && !entry.header.patched
            }),
        })
    }

    fn gateway_doors(
        &self,
        gateway: GatewayRef,
        virtual_service: Object<'_, 'a, VirtualService<'a>>,
        doors: &mut Doors,
    ) -> bool {
        let GatewayRef::Istio(id) = gateway else { return false };
        let Some(found) = self.object::<Gateway<'a>>(id) else {
            return false;
        };
        let home = found.header.namespace.as_str();
        let place = virtual_service.header.namespace.as_str();
        let served = |server: &&Server<'a>| {
            let mut hosts = virtual_service.hosts.iter();
            hosts.any(|host| self.server_takes(server, home, host.as_str(), place))
        };
        let servers = found.body.servers.iter().filter(served);
        add_all(servers.map(|server| of_server(server, gateway)), doors) && !found.header.patched
    }
}

fn add_all(found: impl Iterator<Item = Option<Door>>, doors: &mut Doors) -> bool {
    for door in found {
        let Some(door) = door else { return false };
        doors.push(door);
    }
    true
}

fn of_service_port(port: &kubernetes::ServicePort<'_>, headless: bool) -> Option<Door> {
    let text = |text: &Option<Text<'_>>| text.map_or("", |text| text.as_str()).to_owned();
    let (name, app) = (text(&port.name), text(&port.app_protocol));
    if is_placeholder(&name) || is_placeholder(&app) {
        return None;
    }
    let number = port.port?.value;
    let transport = port.protocol.as_ref().map(Text::as_str);
    let app = Some(app.as_str()).filter(|app| !app.is_empty());
    let protocol = match protocol(
        transport,
        app,
        Some(name.as_str()).filter(|name| !name.is_empty()),
        number,
    ) {
        // Nobody guesses what a headless port carries.
        Protocol::Auto if headless => Protocol::Tcp,
        protocol => protocol,
    };
    let target = port.target_port.as_ref().and_then(|target| target.parse().ok());
    Some(of_protocol(number, target, protocol, port.span))
}

fn of_protocol(number: i64, target: Option<i64>, protocol: Protocol, span: Span) -> Door {
    let guessed = protocol == Protocol::Auto;
    Door {
        number,
        gateway: None,
        http: guessed || protocol.is_http(),
        tls: protocol.is_tls(),
        tcp: guessed || !protocol.is_http() && protocol != Protocol::Udp,
        target: target.filter(|target| *target != number && *target != 0),
        carries: match protocol {
            Protocol::Udp => "UDP",
            _ if guessed || protocol.is_http() => "HTTP",
            _ if protocol.is_tls() => "TLS",
            _ => "TCP",
        },
        span,
    }
}

/// What a server lets routes do depends on its protocol and on who ends TLS (catalogue: gateways, 17 and 46 to 48).
fn of_server(server: &Server<'_>, gateway: GatewayRef) -> Option<Door> {
    let port = server.port.as_ref()?;
    let name = port.protocol.filter(|name| !is_placeholder(name.as_str()))?;
    let protocol = Protocol::from_name(name.as_str())?;
    let mode = server
        .tls
        .as_ref()
        .and_then(|tls| tls.mode)
        .map_or("", |mode| mode.as_str());
    let passes = protocol.is_tls() && matches!(mode, "PASSTHROUGH" | "AUTO_PASSTHROUGH");
    let http = protocol.is_http() || protocol == Protocol::Https && !passes;
    Some(Door {
        number: port.number?.value,
        gateway: Some(gateway),
        http,
        tls: passes,
        tcp: !http && !passes,
        target: None,
        carries: match (http, passes) {
            (true, _) => "HTTP",
            (_, true) => "TLS that is passed through",
            _ => "TCP",
        },
        span: port.span,
    })
}
