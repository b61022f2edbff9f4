//! Pods: what workloads and Gateways will run as, with the addresses that stand for those of a cluster.

use rustc_hash::FxHashMap;

use super::environment::Environment;
use super::gateway_api;
use super::message::{Locality, Str};
use crate::mesh::{DataPlane, Mesh, Object, ResourceId, is_gateway_template};
use crate::model::kubernetes::{ContainerPort, Node, PodTemplate, Workload};
use crate::model::{Labels, Text};
use crate::source::Span;

/// What a proxy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Beside an application.
    Sidecar,
    /// A gateway of either API.
    Gateway,
    /// A waypoint of ambient mode.
    Waypoint,
}

/// All pods of one workload; they differ in the number of their name only.
#[derive(Clone, Debug)]
pub struct PodGroup<'m, 'a> {
    /// The workload, or the Gateway that istiod makes a Deployment for.
    pub resource: ResourceId,
    /// The pod template, where there is one.
    pub template: Option<&'m PodTemplate<'a>>,
    /// `Deployment`, `Gateway` and the like.
    pub kind: &'m str,
    /// The workload's name.
    pub name: Str,
    /// The namespace.
    pub namespace: &'m str,
    /// The cluster, as an index into [`Sources::clusters`](crate::source::Sources::clusters).
    pub cluster: u16,
    /// How many pods there are.
    pub replicas: u32,
    /// The labels of the pods, sorted; those that the injector adds included.
    pub labels: Vec<(Str, Str)>,
    /// The service account, `default` where none is written.
    pub service_account: Str,
    /// What its proxy is; `None` without one.
    pub role: Option<Role>,
    /// How it is part of the mesh.
    pub data_plane: DataPlane,
    /// Where its node stands, by the label `istio-locality` or by the node.
    pub locality: Locality,
    /// The locality as istiod compares it, `region/zone/subzone`.
    pub locality_text: Str,
    /// The network that the pods say they are on.
    pub network: Str,
    /// Where it is written.
    pub span: Span,
}

impl PodGroup<'_, '_> {
    /// A label of the pods.
    pub fn label(&self, key: &str) -> Option<&str> {
        let place = self.labels.binary_search_by(|(name, _)| name.as_str().cmp(key));
        place.ok().map(|place| self.labels[place].1.as_str())
    }

    /// Whether the pods have all of these labels.
    pub fn has<'l>(&self, labels: impl IntoIterator<Item = (&'l str, &'l str)>) -> bool {
        labels.into_iter().all(|(key, value)| self.label(key) == Some(value))
    }

    /// The name of a pod.
    pub fn pod(&self, number: u32) -> Str {
        if self.kind == "Pod" || self.kind == "Gateway" {
            self.name.clone()
        } else {
            Str::from(format!("{}-{number}", self.name))
        }
    }

    /// The address that stands for that of a pod.
    pub fn address(&self, number: u32, mesh: &Mesh<'_>) -> Str {
        named(mesh, "pod", &self.pod(number), self.namespace, self.cluster)
    }

    /// The same with a sidecar.
    #[must_use]
    pub fn with_sidecar(&self) -> Self {
        let mut injected = self.clone();
        injected.role = Some(Role::Sidecar);
        injected.data_plane = DataPlane::Sidecar;
        mark_injected(&mut injected.labels);
        injected.labels.sort();
        injected
    }

    /// `security.istio.io/tlsMode`, which the injector writes.
    pub fn speaks_mtls(&self) -> bool {
        self.label("security.istio.io/tlsMode") == Some("istio")
    }

    /// The port that a container gives this name.
    pub fn port_named(&self, name: &str) -> Option<u32> {
        let spec = self.template?.spec.as_ref()?;
        let mut ports = spec.containers.iter().flat_map(|container| &container.ports);
        let found = ports.find(|port| port.name.as_ref().is_some_and(|text| text.as_str() == name))?;
        number_of(found)
    }

    /// The name by which commands ask for its proxy: `Deployment/shop/web`, `east:Deployment/shop/web`.
    pub fn id(&self, mesh: &Mesh<'_>) -> String {
        let cluster = &mesh.sources.clusters[usize::from(self.cluster)];
        let name = if self.kind == "Gateway" {
            mesh.header(self.resource).name.as_str()
        } else {
            self.name.as_str()
        };
        let id = format!("{}/{}/{name}", self.kind, self.namespace);
        if cluster.is_empty() {
            id
        } else {
            format!("{cluster}:{id}")
        }
    }
}

fn number_of(port: &ContainerPort<'_>) -> Option<u32> {
    port.container_port.and_then(|number| u32::try_from(number.value).ok())
}

/// Adds the label by which pods say that they speak mTLS, where they have none.
fn mark_injected(labels: &mut Vec<(Str, Str)>) {
    if !labels.iter().any(|(key, _)| key == "security.istio.io/tlsMode") {
        labels.push((Str::new_static("security.istio.io/tlsMode"), Str::new_static("istio")));
    }
}

/// An address that stands for one of a cluster: `vip(web.shop)`, `pod(web-0.shop)`, `vip(web.shop@east)`.
pub fn named(mesh: &Mesh<'_>, kind: &str, name: &str, namespace: &str, cluster: u16) -> Str {
    let cluster = &mesh.sources.clusters[usize::from(cluster)];
    let at = if cluster.is_empty() { "" } else { "@" };
    Str::from(format!("{kind}({name}.{namespace}{at}{cluster})"))
}

/// All pods of a mesh.
pub fn pods<'m, 'a>(mesh: &'m Mesh<'a>, environment: &Environment<'m, 'a>) -> Vec<PodGroup<'m, 'a>> {
    let nodes: Nodes<'m> = (mesh.all::<Node<'a>>())
        .map(|node| {
            let key = (node.header.cluster, node.header.name.as_str());
            (
                key,
                node_locality(|label| node.header.labels.get(label).map(Text::as_str)),
            )
        })
        .collect();
    let workloads = mesh.all::<Workload<'a>>().filter_map(|workload| {
        let template = workload.body.template.as_ref()?;
        Some(of_workload(mesh, environment, &nodes, workload, template))
    });
    workloads.chain(gateway_api::pods(mesh, environment)).collect()
}

/// Where nodes stand, by cluster and name.
type Nodes<'m> = FxHashMap<(u16, &'m str), Str>;

fn of_workload<'m, 'a>(
    mesh: &'m Mesh<'a>,
    environment: &Environment<'m, 'a>,
    nodes: &Nodes<'m>,
    workload: Object<'m, 'a, Workload<'a>>,
    template: &'m PodTemplate<'a>,
) -> PodGroup<'m, 'a> {
    let (id, header) = (workload.id, workload.header);
    let spec = template.spec.as_ref();
    let is_gateway = is_gateway_template(template);
    let data_plane = if is_gateway {
        DataPlane::Sidecar
    } else {
        mesh.attachment(id).data_plane
    };
    let role = match data_plane {
        _ if is_gateway => Some(Role::Gateway),
        DataPlane::Sidecar => Some(Role::Sidecar),
        _ => None,
    };
    let mut labels: Vec<(Str, Str)> = (mesh.labels_of(id).into_iter())
        .flat_map(Labels::iter)
        .map(|(key, value)| (Str::new(key), Str::new(value)))
        .collect();
    if role == Some(Role::Sidecar) {
        mark_injected(&mut labels);
    }
    labels.sort();
    labels.dedup_by(|later, kept| later.0 == kept.0);
    let find = |key: &str| {
        labels
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.clone())
    };
    let node = spec.and_then(|spec| spec.node_name).map(|name| name.as_str());
    let locality_text = match find("istio-locality") {
        Some(label) => locality_of_label(Some(&label)),
        None => node
            .and_then(|node| nodes.get(&(header.cluster, node)))
            .cloned()
            .unwrap_or_default(),
    };
    PodGroup {
        resource: id,
        template: Some(template),
        kind: header.kind.as_str(),
        name: Str::new(header.name.as_str()),
        namespace: header.namespace.as_str(),
        cluster: header.cluster,
        replicas: workload
            .replicas
            .map_or(1, |replicas| u32::try_from(replicas.value).unwrap_or(0)),
        service_account: spec
            .and_then(|spec| spec.service_account_name)
            .map_or(Str::new_static("default"), |name| Str::new(name.as_str())),
        role,
        data_plane,
        locality: locality(&locality_text),
        locality_text,
        network: find("topology.istio.io/network").unwrap_or_else(|| environment.network(mesh, header.cluster, "")),
        labels,
        span: header.span,
    }
}

/// The locality that the label `istio-locality` gives, with dots for slashes.
pub fn locality_of_label(label: Option<&str>) -> Str {
    match label {
        Some(label) if label.contains('/') => Str::new(label),
        Some(label) => Str::from(label.replace('.', "/")),
        None => Str::default(),
    }
}

/// The locality that the labels of a node give. It ends in a slash where there is no subzone (catalogue: endpoints and
/// locality, 60 and 69).
fn node_locality<'l>(label: impl Fn(&str) -> Option<&'l str>) -> Str {
    let region = label("topology.kubernetes.io/region").or_else(|| label("failure-domain.beta.kubernetes.io/region"));
    let zone = label("topology.kubernetes.io/zone").or_else(|| label("failure-domain.beta.kubernetes.io/zone"));
    match (region, zone, label("topology.istio.io/subzone")) {
        (None, None, None) => Str::default(),
        (region, zone, subzone) => Str::from(format!(
            "{}/{}/{}",
            region.unwrap_or_default(),
            zone.unwrap_or_default(),
            subzone.unwrap_or_default()
        )),
    }
}

/// The parts of `region/zone/subzone`.
pub fn locality(text: &str) -> Locality {
    let mut parts = text.splitn(3, '/').map(Str::new);
    Locality {
        region: parts.next().unwrap_or_default(),
        zone: parts.next().unwrap_or_default(),
        sub_zone: parts.next().unwrap_or_default(),
    }
}
