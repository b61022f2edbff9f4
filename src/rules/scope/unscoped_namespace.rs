use crate::findings::{Findings, Severity};
use crate::mesh::{DataPlane, Mesh, is_gateway_template};
use crate::model::Namespace;
use crate::rules::{Check, Fixes, Limits, Rule};

pub const RULE: Rule = Rule {
    id: "unscoped-namespace",
    page: include_str!("../../../rules/unscoped-namespace.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Policy(check),
};

fn check(mesh: &Mesh<'_>, limits: &Limits, findings: &mut Findings) {
    for namespace in mesh.all::<Namespace<'_>>() {
        let name = namespace.name;
        // A Sidecar says nothing to gateways.
        let workloads = mesh
            .workloads_in(name.as_str())
            .iter()
            .filter(|workload| !mesh.template_of(**workload).is_some_and(is_gateway_template));
        let sidecars = workloads
            .filter(|workload| mesh.attachment(**workload).data_plane == DataPlane::Sidecar)
            .count();
        if sidecars == 0 || !mesh.receives_everything(name.as_str()) {
            continue;
        }
        let scope = mesh.scope(name.as_str());
        if scope.received <= limits.services_per_proxy || scope.named >= scope.received {
            continue;
        }
        let mut hosts = vec!["./*".to_owned(), format!("{}/*", mesh.settings.root_namespace)];
        hosts.extend(scope.neighbours.iter().map(|neighbour| format!("{neighbour}/*")));
        findings
            .add(name, format!(
                "the sidecars of `{name}` receive {} services, its configuration names {}",
                scope.received, scope.named
            ))
            .help(format!(
                "every change to one of them is pushed to all {sidecars} workloads here; a Sidecar with egress hosts {} would cut it (add what they call without any configuration)",
                hosts.iter().map(|host| format!("`{host}`")).collect::<Vec<_>>().join(", ")
            ));
    }
}
