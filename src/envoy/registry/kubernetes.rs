//! Services of Kubernetes, and those that istiod makes for Gateways.

use super::builder::Builder;
use super::instances::{Instance, Kind, entry_port};
use super::{Endpoint, Port, Resolution, Service, Target, TrafficDistribution};
use crate::envoy::gateway_api;
use crate::envoy::message::Str;
use crate::envoy::pods::named;
use crate::mesh::{ExportTo, Object, Protocol, Provider, protocol};
use crate::model::kubernetes;
use crate::model::{Header, Text};

impl<'m, 'a> Builder<'_, 'm, 'a> {
    pub(super) fn service(&self, object: Object<'m, 'a, kubernetes::Service<'a>>) -> Service<'m, 'a> {
        let (header, body) = (object.header, object.body);
        let headless = body.cluster_ip.is_some_and(|address| address.as_str() == "None");
        let is_alias = body.type_name.is_some_and(|name| name.as_str() == "ExternalName");
        let domain = &self.mesh.settings.cluster_domain;
        let ports: Vec<Port> = body.ports.iter().filter_map(service_port).collect();
        let host = Str::from(format!("{}.{}.svc.{domain}", header.name, header.namespace));
        Service {
            written_host: host.clone(),
            host,
            name: Str::new(header.name.as_str()),
            namespace: header.namespace.as_str(),
            provider: Provider::Service(object.id),
            header,
            resolution: match (is_alias, headless) {
                (true, _) => Resolution::Alias,
                (false, true) => Resolution::Passthrough,
                (false, false) => Resolution::ClientSide,
            },
            external: false,
            addresses: self.addresses(header, body, headless || is_alias),
            export_to: self.service_export(header),
            created: header.created.map_or("", |created| created.as_str()),
            external_name: body
                .external_name
                .filter(|_| is_alias)
                .map(|name| Str::new(name.as_str())),
            subject_alt_names: Vec::new(),
            endpoints: self.behind(object, &ports),
            aliases: Vec::new(),
            later_ports: Vec::new(),
            identities: [].into(),
            traffic_distribution: self.distribution(header, body.traffic_distribution),
            span: header.span,
            ports,
        }
    }

    fn addresses(&self, header: &Header<'a>, body: &kubernetes::Service<'a>, none: bool) -> Vec<(u16, Str)> {
        if none {
            return Vec::new();
        }
        let written = body.cluster_ip.filter(|address| !address.is_empty());
        let address = written.map_or_else(
            || named(self.mesh, "vip", &header.name, &header.namespace, header.cluster),
            |address| Str::new(address.as_str()),
        );
        vec![(header.cluster, address)]
    }

    fn service_export(&self, header: &'m Header<'a>) -> ExportTo<'m> {
        let annotation = header.annotations.get("networking.istio.io/exportTo");
        match annotation {
            Some(list) => ExportTo::new(list.as_str().split(',').map(str::trim), header.namespace.as_str()),
            None => ExportTo::of(&[], &self.mesh.settings.service_export_to, header.namespace.as_str()),
        }
    }

    /// The field of the Service, its annotation, or that of its namespace.
    pub(super) fn distribution(&self, header: &Header<'a>, field: Option<Text<'a>>) -> Option<TrafficDistribution> {
        let annotation = "networking.istio.io/traffic-distribution";
        let of_namespace = || {
            let namespace = self.mesh.namespace(header.namespace.as_str())?;
            namespace.header.annotations.get(annotation).copied()
        };
        let own = header.annotations.get(annotation).copied();
        let text = own.or(field).or_else(of_namespace)?;
        match text.as_str() {
            "PreferClose" | "PreferSameZone" => Some(TrafficDistribution::SameZone),
            "PreferSameNode" => Some(TrafficDistribution::SameNode),
            _ => None,
        }
    }

    /// What answers for each port: what the selector chooses, or the endpoints of written slices.
    fn behind(&self, object: Object<'m, 'a, kubernetes::Service<'a>>, ports: &[Port]) -> Vec<Vec<Endpoint>> {
        let (header, body) = (object.header, object.body);
        if body.selector.is_empty() {
            return self.sliced(header, ports);
        }
        let selector: Vec<_> = body.selector.iter().collect();
        let selected = self.instances.select(header.namespace.as_str(), &selector);
        let selected: Vec<_> = selected
            .filter(|instance| instance.form.cluster == header.cluster)
            .collect();
        let of_port = |port: &Port| {
            let reached = selected.iter().filter(|_| port.protocol != Protocol::Udp);
            reached
                .filter_map(|instance| Some((instance, self.target(instance, port)?)))
                .flat_map(|(instance, number)| self.expand(instance, number, false))
                .collect()
        };
        ports.iter().map(of_port).collect()
    }

    /// The port of an instance that answers for a port of a Service (catalogue: entries, 53; endpoints, 70).
    fn target(&self, instance: &Instance<'m, 'a>, port: &Port) -> Option<u32> {
        match (instance.kind, &port.target) {
            (Kind::Pods(_), Target::Number(number)) => Some(*number),
            (Kind::Pods(place), Target::Name(name)) => self.pods[place].port_named(name),
            (Kind::Entry(entry), Target::Number(number)) => Some(entry_port(entry, &port.name).unwrap_or(*number)),
            (Kind::Entry(entry), Target::Name(name)) => entry_port(entry, name),
        }
    }

    /// The Services that istiod makes for Gateways of the Gateway API.
    pub(super) fn gateways(&self) -> Vec<Service<'m, 'a>> {
        let services = gateway_api::services(self.mesh, self.environment);
        let with_pods = services.into_iter().map(|mut service| {
            let selector = [(gateway_api::GATEWAY_NAME, service.header.name.as_str())];
            let pods: Vec<_> = self.instances.select(service.namespace, &selector).collect();
            let of_port = |port: &Port| {
                let expand = |instance: &&Instance<'m, 'a>| self.expand(instance, port.target_number(), false);
                pods.iter().flat_map(expand).collect()
            };
            service.endpoints = service.ports.iter().map(of_port).collect();
            service
        });
        with_pods.collect()
    }
}

/// What istiod makes of a port of a Service.
pub fn service_port(port: &kubernetes::ServicePort<'_>) -> Option<Port> {
    let number = u32::try_from(port.port?.value).ok()?;
    let text = |text: Option<Text<'_>>| text.map_or(Str::default(), |text| Str::new(text.as_str()));
    let name = text(port.name);
    let target = text(port.target_port);
    Some(Port {
        number,
        protocol: protocol(
            port.protocol.as_ref().map(Text::as_str),
            port.app_protocol.as_ref().map(Text::as_str),
            Some(name.as_str()).filter(|name| !name.is_empty()),
            i64::from(number),
        ),
        name,
        target: match target.parse() {
            _ if target.is_empty() => Target::Number(number),
            Ok(0) => Target::Number(number),
            Ok(target) => Target::Number(target),
            Err(_) => Target::Name(target),
        },
    })
}
