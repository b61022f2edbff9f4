use rustc_hash::FxHashMap;

use crate::envoy::fleet::{Compiled, Fleet};
use crate::envoy::pods::Role;
use crate::envoy::size::Size;
use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, Object, Scope};
use crate::model::Namespace;
use crate::rules::{Check, Fixes, Limits, Rule};

pub const RULE: Rule = Rule {
    id: "unscoped-namespace",
    page: include_str!("../../../rules/unscoped-namespace.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Proxy(check),
};

type Sidecars<'f, 'w, 'm, 'a> = FxHashMap<&'m str, Vec<&'f Compiled<'w, 'm, 'a>>>;

fn check(fleet: &Fleet<'_, '_, '_>, limits: &Limits, findings: &mut Findings) {
    let mesh = fleet.world.mesh;
    let mut sidecars = Sidecars::default();
    for compiled in &fleet.proxies {
        if compiled.proxy.role == Some(Role::Sidecar) {
            sidecars.entry(compiled.proxy.namespace).or_default().push(compiled);
        }
    }
    let unscoped: Vec<_> = mesh
        .all::<Namespace<'_>>()
        .filter_map(|namespace| Some((namespace, sidecars.get(namespace.name.as_str())?)))
        .filter_map(|(namespace, sidecars)| Some((namespace, sidecars, excess(mesh, namespace, limits)?)))
        .collect();
    for (namespace, sidecars, scope) in &unscoped {
        let (name, count) = (namespace.name, sidecars.len());
        let sizes = sidecars.iter().map(|compiled| compiled.size);
        let size = sizes.fold(Size::default(), |sum, size| sum + size);
        findings
            .add(name, format!(
                "the sidecars of `{name}` receive {} services, its configuration names {}",
                scope.received, scope.named
            ))
            .help(format!(
                "each of {count} workloads gets about {} clusters, {} endpoints and {} of configuration, together {}, and every change to a service is pushed to all of them; a Sidecar with egress hosts {} would cut it (add what they call without any configuration)",
                size.clusters / count,
                size.endpoints / count,
                in_words(size.bytes / count),
                in_words(size.bytes),
                proposal(mesh, scope)
            ));
    }
}

/// What the proxies of a namespace receive, if that is more than the limit allows and than is named.
fn excess<'a>(mesh: &Mesh<'a>, namespace: Object<'_, 'a, Namespace<'a>>, limits: &Limits) -> Option<Scope> {
    let name = namespace.body.name.as_str();
    if !mesh.receives_everything(name) {
        return None;
    }
    let scope = mesh.scope(name);
    (scope.received > limits.services_per_proxy && scope.named < scope.received).then_some(scope)
}

fn proposal(mesh: &Mesh<'_>, scope: &Scope) -> String {
    let mut hosts = vec!["`./*`".to_owned(), format!("`{}/*`", mesh.settings.root_namespace)];
    hosts.extend(scope.neighbours.iter().map(|neighbour| format!("`{neighbour}/*`")));
    hosts.join(", ")
}

fn in_words(bytes: usize) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..10_000_000 => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
