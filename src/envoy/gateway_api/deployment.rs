//! What istiod deploys for a Gateway: pods, and a Service with a port for every listener.

use rustc_hash::FxHashSet;

use super::Controller;
use crate::envoy::environment::Environment;
use crate::envoy::message::{Locality, Str};
use crate::envoy::pods::{PodGroup, Role, named};
use crate::envoy::registry::{Port, Resolution, Service, Target};
use crate::mesh::{DataPlane, ExportTo, Mesh, Object, Protocol, Provider, protocol};
use crate::model::gateway_api::{GatewaySpec, GatewaySpecAddress};
use crate::model::kubernetes::{self, Workload};
use crate::model::{Header, Labels};

/// The label of the pods that names istiod's controller.
pub const MANAGED: &str = "gateway.istio.io/managed";
/// The label of the pods that names their Gateway.
pub const GATEWAY_NAME: &str = "gateway.networking.k8s.io/gateway-name";

/// Whether istiod deploys a Gateway itself: it names no Service of its own. A single IP address is one that the Service
/// is to have.
fn is_deployed(gateway: &GatewaySpec<'_>) -> bool {
    let is_ip = |address: &GatewaySpecAddress<'_>| address.type_name.is_none_or(|name| name.as_str() == "IPAddress");
    match gateway.addresses.as_slice() {
        [] => true,
        [address] => is_ip(address),
        _ => false,
    }
}

/// The Services behind which the pods of a Gateway run, by their full hosts: that which istiod makes, else those that the
/// addresses name.
pub(super) fn services_of(mesh: &Mesh<'_>, gateway: Object<'_, '_, GatewaySpec<'_>>) -> Vec<Str> {
    let namespace = gateway.header.namespace.as_str();
    let full = |name: &str| Str::from(format!("{name}.{namespace}.svc.{}", mesh.settings.cluster_domain));
    if is_deployed(gateway.body) {
        return vec![full(&name(mesh, gateway.header, gateway.body))];
    }
    let hosts = (gateway.addresses.iter())
        .filter(|address| address.type_name.is_none_or(|name| name.as_str() == "Hostname"))
        .filter_map(|address| address.value);
    hosts
        .map(|host| {
            if host.contains('.') {
                Str::new(host.as_str())
            } else {
                full(host.as_str())
            }
        })
        .collect()
}

/// The name of what istiod deploys: that of the Gateway, followed by its class unless it is a waypoint.
fn name(mesh: &Mesh<'_>, header: &Header<'_>, gateway: &GatewaySpec<'_>) -> Str {
    if let Some(name) = header.annotations.get("gateway.istio.io/name-override") {
        return Str::new(name.as_str());
    }
    let class = gateway.gateway_class_name.map_or("", |class| class.as_str());
    match Controller::of(mesh, gateway) {
        Some(Controller::Waypoint) => Str::new(header.name.as_str()),
        _ => Str::from(format!("{}-{class}", header.name)),
    }
}

/// The Gateways that istiod deploys, with what their proxies are.
fn deployed<'m, 'a>(
    mesh: &'m Mesh<'a>,
    environment: &Environment<'m, 'a>,
) -> impl Iterator<Item = (Object<'m, 'a, GatewaySpec<'a>>, Role)> {
    let ambient = environment.ambient();
    mesh.all::<GatewaySpec<'a>>().filter_map(move |gateway| {
        let role = match Controller::of(mesh, gateway.body)? {
            Controller::Gateway => Role::Gateway,
            Controller::Waypoint if ambient => Role::Waypoint,
            _ => return None,
        };
        is_deployed(gateway.body).then_some((gateway, role))
    })
}

/// Names in a namespace of a cluster that the input defines itself.
fn taken<'m>(headers: impl Iterator<Item = &'m Header<'m>>) -> FxHashSet<(u16, &'m str, &'m str)> {
    headers
        .map(|header| (header.cluster, header.namespace.as_str(), header.name.as_str()))
        .collect()
}

/// The pods of the Gateways that istiod deploys. Those whose workload is in the input are left to it.
pub fn pods<'m, 'a>(mesh: &'m Mesh<'a>, environment: &Environment<'m, 'a>) -> Vec<PodGroup<'m, 'a>> {
    let taken = taken(mesh.all::<Workload<'a>>().map(|workload| workload.header));
    let pods = deployed(mesh, environment).map(|(gateway, role)| pod(mesh, environment, gateway, role));
    pods.filter(|pod| !taken.contains(&(pod.cluster, pod.namespace, pod.name.as_str())))
        .collect()
}

fn pod<'m, 'a>(
    mesh: &'m Mesh<'a>,
    environment: &Environment<'m, 'a>,
    gateway: Object<'m, 'a, GatewaySpec<'a>>,
    role: Role,
) -> PodGroup<'m, 'a> {
    let header = gateway.header;
    let name = name(mesh, header, gateway.body);
    let account = header.annotations.get("gateway.istio.io/service-account");
    let labels = labels(header, gateway.body, role, &name);
    let network = labels.iter().find(|(key, _)| key == "topology.istio.io/network");
    PodGroup {
        resource: gateway.id,
        template: None,
        kind: "Gateway",
        service_account: account.map_or_else(|| name.clone(), |account| Str::new(account.as_str())),
        name,
        namespace: header.namespace.as_str(),
        cluster: header.cluster,
        replicas: 1,
        network: network.map_or_else(
            || environment.network(mesh, header.cluster, ""),
            |(_, network)| network.clone(),
        ),
        labels,
        role: Some(role),
        data_plane: DataPlane::Sidecar,
        locality: Locality::default(),
        locality_text: Str::default(),
        span: header.span,
    }
}

/// The labels of the pods: those of `infrastructure`, else those of the Gateway, and istiod's own.
fn labels(header: &Header<'_>, gateway: &GatewaySpec<'_>, role: Role, deployment: &str) -> Vec<(Str, Str)> {
    let infrastructure = gateway.infrastructure.as_ref();
    let written = infrastructure.map(|infrastructure| &infrastructure.labels);
    let written: &Labels<'_> = written.filter(|labels| !labels.is_empty()).unwrap_or(&header.labels);
    let managed = match role {
        Role::Waypoint => "istio.io-mesh-controller",
        _ => "istio.io-gateway-controller",
    };
    let class = gateway.gateway_class_name.map_or("", |class| class.as_str());
    let own = [
        (GATEWAY_NAME, header.name.as_str()),
        ("gateway.networking.k8s.io/gateway-class-name", class),
        (MANAGED, managed),
        ("service.istio.io/canonical-name", deployment),
    ];
    let all = own.into_iter().chain(written.iter());
    let mut labels: Vec<(Str, Str)> = all.map(|(key, value)| (Str::new(key), Str::new(value))).collect();
    labels.sort_by(|a, b| a.0.cmp(&b.0));
    labels.dedup_by(|later, kept| later.0 == kept.0);
    labels
}

/// The Services that istiod deploys; their endpoints, the pods that [`GATEWAY_NAME`] chooses, are still missing. Those that
/// are in the input are left out.
pub fn services<'m, 'a>(mesh: &'m Mesh<'a>, environment: &Environment<'m, 'a>) -> Vec<Service<'m, 'a>> {
    let taken = taken(mesh.all::<kubernetes::Service<'a>>().map(|service| service.header));
    let services = deployed(mesh, environment).map(|(gateway, _)| service(mesh, gateway));
    services
        .filter(|service| !taken.contains(&(service.header.cluster, service.namespace, service.name.as_str())))
        .collect()
}

fn service<'m, 'a>(mesh: &'m Mesh<'a>, gateway: Object<'m, 'a, GatewaySpec<'a>>) -> Service<'m, 'a> {
    let header = gateway.header;
    let name = name(mesh, header, gateway.body);
    let namespace = header.namespace.as_str();
    let address = named(mesh, "vip", &name, namespace, header.cluster);
    let host = Str::from(format!("{name}.{namespace}.svc.{}", mesh.settings.cluster_domain));
    Service {
        written_host: host.clone(),
        host,
        name,
        namespace,
        provider: Provider::Service(gateway.id),
        header,
        ports: ports(gateway.body),
        resolution: Resolution::ClientSide,
        external: false,
        addresses: vec![(header.cluster, address)],
        export_to: ExportTo::of(&[], &mesh.settings.service_export_to, namespace),
        created: header.created.map_or("", |created| created.as_str()),
        external_name: None,
        subject_alt_names: Vec::new(),
        endpoints: Vec::new(),
        aliases: Vec::new(),
        later_ports: Vec::new(),
        identities: [].into(),
        traffic_distribution: None,
        span: header.span,
    }
}

/// The status port and one for each port number of the listeners.
fn ports(gateway: &GatewaySpec<'_>) -> Vec<Port> {
    let mut ports = vec![Port {
        number: 15021,
        name: Str::new_static("status-port"),
        protocol: Protocol::Auto,
        target: Target::Number(15021),
    }];
    for listener in &gateway.listeners {
        let Some(number) = listener.port.and_then(|port| u32::try_from(port.value).ok()) else {
            continue;
        };
        if ports[1..].iter().any(|port| port.number == number) {
            continue;
        }
        let spoken = listener
            .protocol
            .map_or(String::new(), |protocol| protocol.to_ascii_lowercase());
        ports.push(Port {
            number,
            name: listener.name.map_or(Str::default(), |name| Str::new(name.as_str())),
            protocol: protocol(None, Some(&spoken), None, i64::from(number)),
            target: Target::Number(number),
        });
    }
    ports
}
