use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Lookup, Mesh, Object, Provider};
use crate::model::Text;
use crate::model::istio::DestinationRule;
use crate::model::kubernetes::Service;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unknown-target-port",
    page: include_str!("../../../rules/unknown-target-port.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for service in mesh.all::<Service<'_>>() {
        for target in named_targets(&service) {
            let Lookup::Absent { nearest } = mesh.named_port(service, &[], target) else {
                continue;
            };
            findings
                .add(target, format!("no pod of `{}` has a port named `{target}`", service.header.name))
                .fix(Fix::nearest(mesh.sources, *target, nearest.as_deref()))
                .help("the port has no endpoints: requests get 503 and connections are closed; write the name of a container's port, or its number");
        }
    }
    mesh.all::<DestinationRule<'_>>()
        .for_each(|rule| judge_subsets(mesh, rule, findings));
}

fn named_targets<'s, 'a>(service: &'s Service<'a>) -> impl Iterator<Item = &'s Text<'a>> {
    let targets = service.ports.iter().filter_map(|port| port.target_port.as_ref());
    targets.filter(|target| !target.is_empty() && target.parse::<i64>().is_err())
}

/// Subsets whose pods lack a name that other pods of the Service have.
fn judge_subsets<'a>(mesh: &Mesh<'a>, rule: Object<'_, 'a, DestinationRule<'a>>, findings: &mut Findings) {
    let Some(Lookup::Found(host)) = rule.body.host.as_ref().map(|host| mesh.host(host, rule.header)) else {
        return;
    };
    let [Provider::Service(id)] = host.providers.as_slice() else {
        return;
    };
    let Some(service) = mesh.object::<Service<'a>>(*id) else {
        return;
    };
    for target in named_targets(service.body) {
        let Lookup::Found(with_name) = mesh.named_port(service, &[], target) else {
            continue;
        };
        for subset in rule.body.subsets.iter().filter(|subset| !subset.labels.placeholder()) {
            let labels: Vec<_> = subset.labels.iter().collect();
            let Some(name) = &subset.name else { continue };
            if let (Lookup::Absent { .. }, false) = (mesh.named_port(service, &labels, target), labels.is_empty()) {
                findings
                    .add(name, format!("no pod of subset `{name}` has a port named `{target}`"))
                    .related(target, "the name that the Service means")
                    .related(mesh.header(with_name[0]).name, "pods of other subsets have it")
                    .help("the subset has no endpoints for this port: requests to it get 503; give the container's port this name");
            }
        }
    }
}
