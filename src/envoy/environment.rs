//! What the mesh configuration and istiod's own settings say, with Istio's defaults filled in.

use std::collections::BTreeMap;

use super::message::Str;
use crate::mesh::Mesh;
use crate::model::kubernetes::{PodTemplate, Workload};
use crate::model::mesh_config::{Network, NetworkEndpoints};
use crate::model::{MeshConfig, MeshNetworks, Namespace, Spanned, Text};
use crate::values::address;
use crate::values::duration::Duration;

/// Settings that hold for every proxy.
#[derive(Debug)]
pub struct Environment<'m, 'a> {
    /// The mesh configuration as it is written.
    pub config: &'m MeshConfig<'a>,
    /// `trustDomain`, `cluster.local` by default.
    pub trust_domain: Str,
    /// `trustDomainAliases`.
    pub trust_domain_aliases: Vec<Str>,
    /// Whether clients speak mTLS to whoever can, `enableAutoMtls`.
    pub auto_mtls: bool,
    /// `connectTimeout` as Envoy writes it, `10s` by default.
    pub connect_timeout: Str,
    /// Whether the input speaks of several clusters; then addresses name theirs.
    pub multicluster: bool,
    variables: BTreeMap<String, String>,
    /// The networks that the label of the root namespace gives to whole clusters.
    cluster_networks: Vec<Str>,
    networks: &'m MeshNetworks<'a>,
}

impl<'m, 'a> Environment<'m, 'a> {
    /// The settings of a mesh. Those that the arguments give precede those of istiod's Deployment.
    pub fn new(mesh: &'m Mesh<'a>) -> Self {
        let config = &mesh.settings.config;
        let mut variables = deployed(mesh);
        variables.extend(mesh.settings.istiod_env.clone());
        let text = |text: Option<Text<'a>>, default: &'static str| {
            text.map_or(Str::new_static(default), |text| Str::new(text.as_str()))
        };
        Self {
            config,
            trust_domain: text(config.trust_domain, "cluster.local"),
            trust_domain_aliases: config
                .trust_domain_aliases
                .iter()
                .map(|alias| Str::new(alias.as_str()))
                .collect(),
            auto_mtls: config.enable_auto_mtls.is_none_or(|enabled| enabled.value),
            connect_timeout: config
                .connect_timeout
                .map_or(Str::new_static("10s"), |timeout| envoy_duration(timeout.as_str())),
            multicluster: mesh.sources.clusters.len() > 1,
            variables,
            cluster_networks: cluster_networks(mesh),
            networks: &mesh.settings.networks,
        }
    }

    /// The name of a cluster as istiod has it.
    pub fn cluster_id<'s>(&self, mesh: &'s Mesh<'_>, cluster: u16) -> &'s str {
        match mesh.sources.clusters[usize::from(cluster)].as_str() {
            "" => "Kubernetes",
            name => name,
        }
    }

    /// The network of an address in a cluster whose workload does not say: that of the cluster, else that which
    /// `meshNetworks` has for the cluster or the address.
    pub fn network(&self, mesh: &Mesh<'_>, cluster: u16, address: &str) -> Str {
        let of_cluster = &self.cluster_networks[usize::from(cluster)];
        if !of_cluster.is_empty() || self.networks.networks.is_empty() {
            return of_cluster.clone();
        }
        let id = self.cluster_id(mesh, cluster);
        let address = address::parse(address);
        let holds = |endpoints: &NetworkEndpoints<'_>| {
            let by_cluster = endpoints.from_registry.is_some_and(|registry| registry.as_str() == id);
            let range = endpoints
                .from_cidr
                .and_then(|range| address::parse_prefix(range.as_str()));
            by_cluster
                || address
                    .zip(range)
                    .is_some_and(|(address, range)| address::is_within(address, range))
        };
        let found = self
            .networks
            .networks
            .iter()
            .find(|(_, network)| network.endpoints.iter().any(holds));
        found.map_or(Str::default(), |(name, _)| Str::new(name.as_str()))
    }

    /// The networks of `meshNetworks`.
    pub fn networks(&self) -> impl Iterator<Item = (&'a str, &'m Network<'a>)> {
        self.networks
            .networks
            .iter()
            .map(|(name, network)| (name.as_str(), network))
    }

    /// A setting of istiod, such as `PILOT_ENABLE_AMBIENT`.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Whether a setting of istiod is on; the default where it is not given or is no boolean of Go.
    pub fn flag(&self, name: &str, default: bool) -> bool {
        match self.variable(name) {
            Some(text) if is_true(text) => true,
            Some("0" | "f" | "F" | "false" | "FALSE" | "False") => false,
            _ => default,
        }
    }

    /// Where redirected traffic to the workload arrives, `proxyInboundListenPort`.
    pub fn inbound_port(&self) -> u32 {
        listen_port(self.config.proxy_inbound_listen_port, 15006)
    }

    /// Where redirected traffic from the workload arrives, `proxyListenPort`.
    pub fn outbound_port(&self) -> u32 {
        listen_port(self.config.proxy_listen_port, 15001)
    }

    /// Whether incoming traffic goes to the loopback interface instead of the address that the client wanted.
    pub fn inbound_to_localhost(&self) -> bool {
        let mode = self
            .config
            .inbound_traffic_policy
            .as_deref()
            .and_then(|policy| policy.mode);
        mode.is_some_and(|mode| mode.as_str() == "LOCALHOST")
    }

    /// Whether istiod serves ambient mode.
    pub fn ambient(&self) -> bool {
        self.flag("PILOT_ENABLE_AMBIENT", false)
    }

    /// The trust domain and its aliases.
    pub fn trust_domains(&self) -> impl Iterator<Item = &Str> {
        std::iter::once(&self.trust_domain).chain(&self.trust_domain_aliases)
    }
}

fn listen_port(written: Option<Spanned<i64>>, default: u32) -> u32 {
    let port = written.and_then(|port| u32::try_from(port.value).ok());
    port.filter(|port| *port != 0).unwrap_or(default)
}

fn cluster_networks(mesh: &Mesh<'_>) -> Vec<Str> {
    let mut networks = vec![Str::default(); mesh.sources.clusters.len()];
    let roots = mesh.all::<Namespace<'_>>();
    for root in roots.filter(|namespace| namespace.body.name.as_str() == mesh.settings.root_namespace) {
        if let Some(label) = root.header.labels.get("topology.istio.io/network") {
            networks[usize::from(root.header.cluster)] = Str::new(label.as_str());
        }
    }
    networks
}

/// The environment of istiod's container in the input.
fn deployed(mesh: &Mesh<'_>) -> BTreeMap<String, String> {
    let istiod = mesh.all::<Workload<'_>>().filter(|workload| {
        let labels = workload.template.as_ref().and_then(|template| template.label("app"));
        labels.is_some_and(|app| app.as_str() == "istiod")
    });
    let containers = istiod.flat_map(|workload| workload.body.template.iter().flat_map(PodTemplate::containers));
    let discovery =
        containers.filter(|container| container.name.as_ref().is_some_and(|name| name.as_str() == "discovery"));
    let variables = discovery
        .flat_map(|container| &container.env)
        .filter_map(|variable| Some((variable.name?.to_string(), variable.value?.to_string())));
    variables.collect()
}

/// Whether a text is one of those that Go takes for true.
pub fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True")
}

/// A duration in the form of proto3's JSON. A text that is no duration stays as it is.
pub fn envoy_duration(text: &str) -> Str {
    Duration::parse(text).map_or_else(|| Str::new(text), |duration| Str::from(duration.to_proto()))
}
