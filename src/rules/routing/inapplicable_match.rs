use crate::findings::{Findings, Severity};
use crate::mesh::{Doors, Lookup, Mesh, Object};
use crate::model::Text;
use crate::model::istio::{AnyMatch, AnyRoute, RouteKind, VirtualService};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "inapplicable-match",
    page: include_str!("../../../rules/inapplicable-match.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let with_hosts = mesh
        .all::<VirtualService<'_>>()
        .filter(|service| !service.is_delegate());
    for virtual_service in with_hosts.filter(|service| !service.header.patched) {
        let doors = mesh.doors(virtual_service).found();
        for route in virtual_service.body.routes() {
            for entry in route.matches.iter().filter(|entry| !entry.placeholders) {
                if !judge_gateways(mesh, virtual_service, entry, findings) {
                    continue;
                }
                if let Some(doors) = &doors {
                    judge_port(virtual_service, &route, entry, doors, findings);
                }
                judge_source(mesh, virtual_service, &route, entry, findings);
            }
        }
    }
}

/// Whether all gateways of a match are among those of the `VirtualService`.
fn judge_gateways<'a>(
    mesh: &Mesh<'a>,
    virtual_service: Object<'_, 'a, VirtualService<'a>>,
    entry: &AnyMatch<'_, 'a>,
    findings: &mut Findings,
) -> bool {
    let header = virtual_service.header;
    if virtual_service.placeholders {
        return true;
    }
    let namespace = header.namespace.as_str();
    let is = |gateway: &Text<'a>, other: &Text<'a>| Mesh::same_gateway(gateway.as_str(), other.as_str(), namespace);
    let mut sound = true;
    for gateway in entry.gateways {
        let bound = match gateway.as_str() {
            "mesh" => virtual_service.in_mesh(),
            _ => virtual_service.gateways.iter().any(|other| is(gateway, other)),
        };
        if bound || matches!(mesh.gateway(gateway, header), Lookup::Absent { .. }) && gateway.as_str() != "mesh" {
            continue;
        }
        sound = false;
        let finding = findings.add(
            gateway,
            format!("this VirtualService is not for gateway `{gateway}`, so the match never applies there"),
        );
        finding.help("a gateway takes the VirtualServices that name it in `spec.gateways`; a list that is missing stands for `mesh`; add it there");
        if let Some(first) = virtual_service.gateways.first() {
            finding.related(first, "the gateways that it is for");
        }
    }
    sound
}

fn judge_port<'a>(
    virtual_service: Object<'_, 'a, VirtualService<'a>>,
    route: &AnyRoute<'_, 'a>,
    entry: &AnyMatch<'_, 'a>,
    doors: &Doors,
    findings: &mut Findings,
) {
    let Some(port) = entry.port else { return };
    // Sidecars use `http` routes on port 80 even for hosts without that port (catalogue: sidecars, 26).
    let plain = route.kind == RouteKind::Http && virtual_service.in_mesh() && port.value == 80;
    if plain || doors.is_empty() || doors.iter().any(|door| door.number == port.value) {
        return;
    }
    let mut known: Vec<_> = doors.iter().map(|door| door.number).collect();
    known.sort_unstable();
    known.dedup();
    let known: Vec<_> = known.iter().map(ToString::to_string).collect();
    let finding = findings.add(
        port,
        format!("no host or gateway of this VirtualService has port {}", port.value),
    );
    let meant = doors.iter().find(|door| door.target == Some(port.value));
    match meant {
        Some(door) => {
            let help = format!(
                "the match never applies: the port is the one that clients call, here {}, not that of the pods",
                door.number
            );
            finding.help(help).related(door.span, "the port of the Service");
        }
        None => {
            finding.help(format!("the match never applies; the ports are {}", known.join(", ")));
        }
    }
}

/// Labels and namespace of the client, where the match is for sidecars.
fn judge_source<'a>(
    mesh: &Mesh<'a>,
    virtual_service: Object<'_, 'a, VirtualService<'a>>,
    route: &AnyRoute<'_, 'a>,
    entry: &AnyMatch<'_, 'a>,
    findings: &mut Findings,
) {
    // `gateways` of an HTTP match replaces these conditions (catalogue: sidecars, 31).
    let replaced = route.kind == RouteKind::Http && !entry.gateways.is_empty();
    if replaced || !virtual_service.in_mesh() || virtual_service.gateways.len() > 1 {
        return;
    }
    if let (Lookup::Absent { .. }, Some((_, value))) = (
        mesh.clients(entry.source_labels, entry.source_namespace.as_ref(), virtual_service),
        entry.source_labels.spanned().first(),
    ) {
        findings
            .add(value, "no pod that could call has these labels")
            .help("the match never applies: `sourceLabels` are the labels of the client's pods, and all of them must be there");
    }
}
