use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::{self, DataPlane, Mesh};
use crate::model::{Header, Namespace, istio};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "uninjected-namespace",
    page: include_str!("../../../rules/uninjected-namespace.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0102"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let meant = meant_for_mesh(mesh);
    for namespace in mesh.all::<Namespace<'_>>() {
        let name = namespace.name;
        // A patch may add the label.
        let Some(policy) = meant.get(name.value).filter(|_| !namespace.header.patched) else {
            continue;
        };
        let labels = &namespace.header.labels;
        let labelled = [mesh::INJECTION, mesh::REVISION, mesh::DATA_PLANE_MODE]
            .iter()
            .any(|key| labels.get(key).is_some());
        let left_out = mesh.workloads_in(name.value).iter().find(|workload| {
            let gateway = mesh.template_of(**workload).is_some_and(mesh::is_gateway_template);
            !gateway && mesh.attachment(**workload).data_plane == DataPlane::None
        });
        let (Some(workload), false) = (left_out, labelled) else {
            continue;
        };
        findings
            .add(name, format!("namespace `{name}` has no label that brings its pods into the mesh"))
            .related(mesh.header(*workload).name, "its pods get no sidecar")
            .related(policy.name, format!("this {} has no proxy to work in", policy.kind))
            .help("label it `istio.io/rev: <revision or tag>`, `istio-injection: enabled` or `istio.io/dataplane-mode: ambient`");
    }
}

/// Namespaces with a resource that only a proxy of their own can carry out.
fn meant_for_mesh<'m>(mesh: &'m Mesh<'_>) -> FxHashMap<&'m str, &'m Header<'m>> {
    let sidecars = mesh.all::<istio::Sidecar<'_>>().map(|object| object.header);
    let peers = mesh.all::<istio::PeerAuthentication<'_>>().map(|object| object.header);
    let requests = mesh
        .all::<istio::RequestAuthentication<'_>>()
        .filter(|object| object.target_refs.is_empty())
        .map(|object| object.header);
    let attached =
        |policy: &istio::AuthorizationPolicy<'_>| policy.target_ref.is_some() || !policy.target_refs.is_empty();
    let policies = mesh
        .all::<istio::AuthorizationPolicy<'_>>()
        .filter(|object| !attached(object))
        .map(|object| object.header);
    let all = sidecars.chain(peers).chain(requests).chain(policies);
    let root = mesh.settings.root_namespace.as_str();
    all.filter(|header| header.namespace.value != root)
        .map(|header| (header.namespace.value, header))
        .collect()
}
