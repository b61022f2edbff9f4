//! The hosts of ServiceEntries.

use super::builder::Builder;
use super::instances::{Describer, Instance, Kind, entry_port};
use super::{Endpoint, Hbone, Health, Port, Resolution, Service, Target, UNDATED};
use crate::envoy::message::{Address, Locality, Str};
use crate::mesh::{ExportTo, Object, Protocol, Provider};
use crate::model::istio::{self, ServiceEntry};
use crate::model::{Header, Text};

fn lower_case(host: &str) -> Str {
    if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Str::from(host.to_ascii_lowercase())
    } else {
        Str::new(host)
    }
}

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// The services of a ServiceEntry, one a host.
    pub(super) fn entries(&self, object: Object<'m, 'a, ServiceEntry<'a>>) -> Vec<Service<'m, 'a>> {
        let (header, body) = (object.header, object.body);
        let ports: Vec<Port> = body.ports.iter().filter_map(service_port).collect();
        let resolution = resolution(header, body);
        let instances = self.instances_of(header, body);
        let hosts = body.hosts.iter().map(|host| Service {
            host: lower_case(host.as_str()),
            written_host: Str::new(host.as_str()),
            name: lower_case(host.as_str()),
            namespace: header.namespace.as_str(),
            provider: Provider::ServiceEntry(object.id),
            header,
            ports: ports.clone(),
            resolution,
            external: body
                .location
                .is_none_or(|location| location.as_str() != "MESH_INTERNAL"),
            addresses: addresses(header, body),
            export_to: ExportTo::of(
                &body.export_to,
                &self.mesh.settings.service_export_to,
                header.namespace.as_str(),
            ),
            created: header.created.map_or(UNDATED, |created| created.as_str()),
            external_name: None,
            subject_alt_names: body
                .subject_alt_names
                .iter()
                .map(|name| Str::new(name.as_str()))
                .collect(),
            endpoints: (ports.iter())
                .map(|port| self.of_port(body, &instances, port, resolution, header, host))
                .collect(),
            aliases: Vec::new(),
            later_ports: Vec::new(),
            identities: [].into(),
            traffic_distribution: self.distribution(header, None),
            span: host.span,
        });
        hosts.collect()
    }

    /// What the entry selects, or what is written in it.
    fn instances_of(&self, header: &'m Header<'a>, entry: &'m ServiceEntry<'a>) -> Vec<Instance<'m, 'a>> {
        if let Some(selector) = &entry.workload_selector {
            let labels: Vec<_> = selector.labels.iter().collect();
            return self
                .instances
                .select(header.namespace.as_str(), &labels)
                .cloned()
                .collect();
        }
        let inline = entry.endpoints.iter().enumerate().map(|(number, endpoint)| {
            let name = Str::from(format!("{}-{number}", header.name));
            let labels = Describer::inline_labels(&endpoint.labels);
            self.describer.entry(endpoint, header, labels, &name, endpoint.span)
        });
        inline.collect()
    }

    fn of_port(
        &self,
        entry: &ServiceEntry<'a>,
        instances: &[Instance<'m, 'a>],
        port: &Port,
        resolution: Resolution,
        header: &'m Header<'a>,
        host: &Text<'a>,
    ) -> Vec<Endpoint> {
        let by_dns = matches!(
            resolution,
            Resolution::Dns | Resolution::DnsRoundRobin | Resolution::DnsRace
        );
        if !by_dns && resolution != Resolution::ClientSide {
            return Vec::new();
        }
        if by_dns && entry.workload_selector.is_none() && instances.is_empty() {
            return vec![self.by_name(header, host, port)];
        }
        let target = |instance: &Instance<'m, 'a>| match instance.kind {
            Kind::Entry(entry) => entry_port(entry, &port.name).unwrap_or_else(|| port.target_number()),
            Kind::Pods(_) => port.target_number(),
        };
        let times = if by_dns { 1 } else { entry.addresses.len().max(1) };
        let once = || {
            instances
                .iter()
                .flat_map(|instance| self.expand(instance, target(instance), by_dns))
        };
        (0..times).flat_map(|_| once()).collect()
    }

    /// The host itself, for DNS to find.
    fn by_name(&self, header: &'m Header<'a>, host: &Text<'a>, port: &Port) -> Endpoint {
        let namespace = header.namespace.as_str();
        Endpoint {
            address: Address::socket(host.as_str(), port.target_number()),
            labels: [].into(),
            namespace: Str::new(namespace),
            workload: self.describer.workload(&header.name, namespace, &[], header.cluster),
            service_account: Str::default(),
            locality: Locality::default(),
            locality_text: Str::default(),
            network: Str::default(),
            cluster: header.cluster,
            mtls: false,
            refuses_mtls: false,
            hbone: Hbone::No,
            health: Health::Unwatched,
            weight: 1,
            span: host.span,
        }
    }
}

fn resolution(header: &Header<'_>, entry: &ServiceEntry<'_>) -> Resolution {
    let races = header
        .annotations
        .has("istio.io/connect-strategy", "RACE_FIRST_TCP_CONNECT");
    match entry.resolution.map_or("NONE", |resolution| resolution.as_str()) {
        "STATIC" => Resolution::ClientSide,
        "DNS" if races => Resolution::DnsRace,
        "DNS" => Resolution::Dns,
        "DNS_ROUND_ROBIN" => Resolution::DnsRoundRobin,
        "DYNAMIC_DNS" => Resolution::DynamicDns,
        _ => Resolution::Passthrough,
    }
}

fn addresses(header: &Header<'_>, entry: &ServiceEntry<'_>) -> Vec<(u16, Str)> {
    let addresses = entry.addresses.iter();
    addresses
        .map(|address| (header.cluster, Str::new(address.as_str())))
        .collect()
}

fn service_port(port: &istio::ServicePort<'_>) -> Option<Port> {
    let number = u32::try_from(port.number?.value).ok()?;
    let target = port
        .target_port
        .and_then(|target| u32::try_from(target.value).ok())
        .filter(|target| *target != 0);
    Some(Port {
        number,
        name: port.name.map_or(Str::default(), |name| Str::new(name.as_str())),
        protocol: port
            .protocol
            .and_then(|name| Protocol::from_name(name.as_str()))
            .unwrap_or(Protocol::Auto),
        target: Target::Number(target.unwrap_or(number)),
    })
}
