use rustc_hash::FxHashMap;

use crate::findings::{Findings, Severity};
use crate::mesh::{self, DataPlane, Mesh, WorkloadRef};
use crate::model::{Header, Labels, Namespace, istio};
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
        let (name, labels) = (namespace.name, &namespace.header.labels);
        let labelled = [mesh::INJECTION, mesh::REVISION, mesh::DATA_PLANE_MODE]
            .iter()
            .any(|key| labels.get(key).is_some());
        // A patch may add the label.
        if labelled || namespace.header.patched {
            continue;
        }
        let policies = meant.get(name.as_str()).into_iter().flatten();
        let idle = policies.filter_map(|policy| Some((policy.0, left_out(mesh, name.as_str(), policy.1)?)));
        let Some((policy, workload)) = idle.into_iter().next() else {
            continue;
        };
        findings
            .add(name, format!("namespace `{name}` has no label that brings its pods into the mesh"))
            .related(mesh.header(workload).name, "its pods get no sidecar")
            .related(policy.name, format!("this {} has no proxy to work in", policy.kind))
            .help("label it `istio.io/rev: <revision or tag>`, `istio-injection: enabled` or `istio.io/dataplane-mode: ambient`");
    }
}

/// A workload that a policy is for, if none of those it is for is in the mesh.
fn left_out(mesh: &Mesh<'_>, namespace: &str, selector: Option<&Labels<'_>>) -> Option<WorkloadRef> {
    let wanted: Vec<_> = selector.into_iter().flat_map(Labels::iter).collect();
    let selected: Vec<_> = mesh.select(Some(namespace), &wanted).collect();
    let outside = selected.iter().all(|workload| {
        let gateway = mesh.template_of(*workload).is_some_and(mesh::is_gateway_template);
        !gateway && mesh.attachment(*workload).data_plane == DataPlane::None
    });
    selected.first().copied().filter(|_| outside)
}

type Policy<'m, 'a> = (&'m Header<'a>, Option<&'m Labels<'a>>);

/// Resources that only a proxy of their own namespace can carry out, by namespace, each with its selector.
fn meant_for_mesh<'m, 'a>(mesh: &'m Mesh<'a>) -> FxHashMap<&'m str, Vec<Policy<'m, 'a>>> {
    let mut meant: FxHashMap<&str, Vec<Policy<'m, 'a>>> = FxHashMap::default();
    let mut add = |header: &'m Header<'a>, selector: Option<&'m Labels<'a>>| {
        if header.namespace.as_str() != mesh.settings.root_namespace {
            meant
                .entry(header.namespace.as_str())
                .or_default()
                .push((header, selector));
        }
    };
    for sidecar in mesh.all::<istio::Sidecar<'a>>() {
        add(
            sidecar.header,
            sidecar.body.workload_selector.as_ref().map(|selector| &selector.labels),
        );
    }
    for policy in mesh.all::<istio::PeerAuthentication<'a>>() {
        add(
            policy.header,
            policy.body.selector.as_ref().map(|selector| &selector.match_labels),
        );
    }
    for policy in mesh.all::<istio::RequestAuthentication<'a>>() {
        if policy.target_ref.is_none() && policy.target_refs.is_empty() {
            add(
                policy.header,
                policy.body.selector.as_ref().map(|selector| &selector.match_labels),
            );
        }
    }
    for policy in mesh.all::<istio::AuthorizationPolicy<'a>>() {
        if policy.target_ref.is_none() && policy.target_refs.is_empty() {
            add(
                policy.header,
                policy.body.selector.as_ref().map(|selector| &selector.match_labels),
            );
        }
    }
    meant
}
