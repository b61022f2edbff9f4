//! What clients are told to bring to servers by the `tls` of a DestinationRule, and which servers that are.

use std::ptr;

use super::World;
use super::mtls::Mode;
use super::pods::PodGroup;
use super::registry::{Endpoint, Port, Service};
use crate::mesh::{DataPlane, Object, Protocol};
use crate::model::istio::{ClientTlsSettings, DestinationRule, PeerAuthentication, Subset, TrafficPolicy};
use crate::source::Span;

/// One `tls` of a DestinationRule.
#[derive(Clone, Copy, Debug)]
pub struct ClientTls<'m, 'a> {
    /// The rule.
    pub rule: Object<'m, 'a, DestinationRule<'a>>,
    /// What it says.
    pub settings: &'m ClientTlsSettings<'a>,
    /// The only port that it is for.
    pub port: Option<u32>,
    policy: &'m TrafficPolicy<'a>,
    subset: Option<&'m Subset<'a>>,
}

/// An endpoint behind a port of a service.
#[derive(Clone, Copy, Debug)]
pub struct Server<'w, 'm, 'a> {
    /// The service.
    pub service: &'w Service<'m, 'a>,
    /// Its port.
    pub port: &'w Port,
    /// What answers.
    pub endpoint: &'w Endpoint,
}

/// Which services a host stands for that is no single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach<'m> {
    /// All of a namespace.
    Namespace(&'m str),
    /// All of the mesh.
    Mesh,
}

impl<'w, 'm, 'a> Server<'w, 'm, 'a> {
    /// Everything that answers for a service.
    pub fn of(service: &'w Service<'m, 'a>) -> impl Iterator<Item = Self> {
        let ports = service.ports.iter().zip(&service.endpoints);
        ports.flat_map(move |(port, endpoints)| {
            endpoints.iter().map(move |endpoint| Self {
                service,
                port,
                endpoint,
            })
        })
    }
}

impl<'m, 'a> ClientTls<'m, 'a> {
    /// All that a rule says about TLS.
    pub fn of(rule: Object<'m, 'a, DestinationRule<'a>>) -> Vec<Self> {
        let host = rule.body.traffic_policy.as_deref().map(|policy| (policy, None));
        let subsets = rule.body.subsets.iter();
        let subsets = subsets.filter_map(|subset| Some((subset.traffic_policy.as_deref()?, Some(subset))));
        let levels = host.into_iter().chain(subsets);
        levels
            .flat_map(|(policy, subset)| {
                let whole = policy.tls.as_deref().map(|settings| (settings, None));
                let ports = policy.port_level_settings.iter().filter_map(|entry| {
                    let number = entry.port.as_ref()?.number?;
                    Some((entry.tls.as_deref()?, u32::try_from(number.value).ok()))
                });
                whole.into_iter().chain(ports).map(move |(settings, port)| Self {
                    rule,
                    settings,
                    port,
                    policy,
                    subset,
                })
            })
            .collect()
    }

    /// The mode, with what is meant where none is written.
    pub fn mode(&self) -> &'a str {
        self.settings.mode.map_or("DISABLE", |mode| mode.as_str())
    }

    /// Where the mode stands.
    pub fn span(&self) -> Span {
        self.settings.mode.map_or(self.settings.span, |mode| mode.span)
    }

    /// Whether it is for this port.
    fn is_for(&self, port: &Port) -> bool {
        let own = |number: u32| {
            let mut entries = self.policy.port_level_settings.iter();
            entries.any(|entry| {
                let written = entry.port.as_ref().and_then(|port| port.number);
                written.is_some_and(|written| written.value == i64::from(number))
            })
        };
        port.protocol != Protocol::Udp
            && self
                .port
                .map_or_else(|| !own(port.number), |number| number == port.number)
    }

    fn has(&self, endpoint: &Endpoint) -> bool {
        let label = |key: &str| endpoint.labels.iter().find(|(name, _)| name == key);
        self.subset.is_none_or(|subset| {
            let mut wanted = subset.labels.iter();
            wanted.all(|(key, value)| label(key).is_some_and(|(_, label)| label == value))
        })
    }
}

impl<'m, 'a> World<'m, 'a> {
    /// The servers to which clients of the rule's namespace bring it.
    pub fn servers<'w>(&'w self, tls: &'w ClientTls<'m, 'a>) -> impl Iterator<Item = Server<'w, 'm, 'a>> {
        let rule = tls.rule;
        let host = rule.body.host.map_or("", |host| host.as_str());
        let full = self
            .mesh
            .host_name(host, rule.header.namespace.as_str())
            .full(self.mesh);
        let exact = self
            .registry
            .of_host(&full)
            .iter()
            .map(|id| &self.registry.services[*id]);
        let wild = host.strip_prefix('*').into_iter().flat_map(|suffix| {
            let services = self.registry.services.iter();
            services.filter(move |service| service.host.ends_with(suffix))
        });
        let surely = |service: &&Service<'m, 'a>| self.mesh.is_surely(service.header, rule.header);
        let services = exact.chain(wild).filter(|service| !service.external).filter(surely);
        services
            .filter(|service| self.holds(tls, &service.host, service.namespace))
            .flat_map(Server::of)
            .filter(|server| tls.is_for(server.port))
            .filter(|server| tls.has(server.endpoint))
    }

    /// Whether clients of the rule's namespace follow it when they call a host.
    pub fn holds(&self, tls: &ClientTls<'m, 'a>, host: &str, namespace: &str) -> bool {
        let client = tls.rule.header.namespace.as_str();
        let rules = self.destinations.candidates(client, host, namespace);
        rules.iter().any(|rule| match tls.subset {
            None => rule.traffic_policy.is_some_and(|policy| ptr::eq(policy, tls.policy)),
            Some(subset) => rule.subsets.iter().any(|other| ptr::eq(*other, subset)),
        })
    }

    /// What the host of a rule stands for, where it is a wildcard for a namespace or for all of them.
    pub fn reach(&self, rule: Object<'m, 'a, DestinationRule<'a>>) -> Option<Reach<'a>> {
        let suffix = rule.body.host?.value.as_str().strip_prefix('*')?;
        let domain = format!(".svc.{}", self.mesh.settings.cluster_domain);
        if domain.ends_with(suffix) {
            return Some(Reach::Mesh);
        }
        let namespace = suffix.strip_suffix(domain.as_str())?.strip_prefix('.')?;
        (!namespace.contains('.')).then_some(Reach::Namespace(namespace))
    }

    /// Whether clients follow it when they call a service of a namespace that no other rule is for.
    pub fn holds_for_namespace(&self, tls: &ClientTls<'m, 'a>, namespace: &str) -> bool {
        let host = format!("*.{namespace}.svc.{}", self.mesh.settings.cluster_domain);
        self.holds(tls, &host, namespace)
    }

    /// Whether it is for every service of a namespace, or of the mesh where the name is empty, but for those that have a rule
    /// of their own.
    pub fn is_for_namespace(&self, tls: &ClientTls<'m, 'a>, namespace: &str) -> bool {
        match self.reach(tls.rule) {
            Some(Reach::Mesh) => namespace.is_empty() || self.holds_for_namespace(tls, namespace),
            Some(Reach::Namespace(other)) => other == namespace && self.holds_for_namespace(tls, namespace),
            None => false,
        }
    }

    /// The PeerAuthentication that decides for a namespace, or for the mesh where the name is empty.
    pub fn level_policy(&self, namespace: &str) -> Option<Object<'m, 'a, PeerAuthentication<'a>>> {
        let span = self.mtls.level_span(namespace)?;
        self.mesh
            .all()
            .find(|policy: &Object<'_, 'a, PeerAuthentication<'a>>| policy.header.span == span)
    }

    /// The mode in which an endpoint takes connections; `None` where no proxy of the mesh takes them.
    pub fn mode_of(&self, endpoint: &Endpoint) -> Option<Mode> {
        let port = endpoint.address.port()?;
        let mtls = self.mtls.of_workload(&endpoint.namespace, &endpoint.labels);
        endpoint.mtls.then(|| mtls.of_port(port))
    }

    /// The place where a PeerAuthentication says this mode for an endpoint.
    pub fn mode_place(&self, endpoint: &Endpoint, mode: &str) -> Option<Span> {
        let mtls = self.mtls.of_workload(&endpoint.namespace, &endpoint.labels);
        let port = endpoint.address.port()?.to_string();
        let said = mtls.origin.0.iter().rev().find_map(|span| {
            let mut policies = self.mesh.all::<PeerAuthentication<'a>>();
            let policy = policies.find(|policy| policy.header.span == *span)?;
            let own = policy
                .body
                .port_level_mtls
                .iter()
                .find(|(number, _)| number.as_str() == port);
            let ports = own.and_then(|(_, mtls)| mtls.mode);
            let whole = policy.body.mtls.as_ref().and_then(|mtls| mtls.mode);
            ports.into_iter().chain(whole).find(|text| text.as_str() == mode)
        });
        said.map(|text| text.span)
    }

    /// The pods of an endpoint.
    pub fn pod_of(&self, endpoint: &Endpoint) -> Option<&PodGroup<'m, 'a>> {
        self.pods_by_place.get(&endpoint.span).map(|place| &self.pods[*place])
    }

    /// Whether connections to an endpoint go through its proxy.
    pub fn is_captured(&self, endpoint: &Endpoint) -> bool {
        let (Some(pod), Some(port)) = (self.pod_of(endpoint), endpoint.address.port()) else {
            return true;
        };
        let annotation = |key: &str| {
            let template = pod.template?;
            template.annotation(&format!("traffic.sidecar.istio.io/{key}"))
        };
        let lists = |list: &str| list.split(',').any(|entry| entry.trim().parse() == Ok(port));
        let included = annotation("includeInboundPorts").is_none_or(|list| list.contains('*') || lists(list.as_str()));
        let excluded = annotation("excludeInboundPorts").is_some_and(|list| lists(list.as_str()));
        pod.data_plane == DataPlane::Sidecar && included && !excluded
    }
}
