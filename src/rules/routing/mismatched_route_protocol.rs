use crate::findings::{Finding, Findings, Severity};
use crate::mesh::{Door, Doors, Lookup, Mesh, Object};
use crate::model::istio::{AnyRoute, Destination, HttpRoute, RouteKind, VirtualService};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "mismatched-route-protocol",
    page: include_str!("../../../rules/mismatched-route-protocol.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let with_hosts = mesh
        .all::<VirtualService<'_>>()
        .filter(|service| !service.is_delegate());
    for virtual_service in with_hosts {
        if let Lookup::Found(doors) = mesh.doors(virtual_service) {
            for kind in [RouteKind::Http, RouteKind::Tls, RouteKind::Tcp] {
                judge(mesh, virtual_service, kind, &doors, findings);
            }
        }
    }
}

fn judge<'a>(
    mesh: &Mesh<'a>,
    virtual_service: Object<'_, 'a, VirtualService<'a>>,
    kind: RouteKind,
    doors: &Doors,
    findings: &mut Findings,
) {
    let routes: Vec<_> = virtual_service
        .body
        .routes()
        .filter(|route| route.kind == kind)
        .collect();
    for port in routes
        .iter()
        .flat_map(|route| &route.matches)
        .filter_map(|entry| entry.port)
    {
        let of_port: Vec<_> = doors.iter().filter(|door| door.number == port.value).collect();
        if let Some(first) = of_port.first().filter(|_| of_port.iter().all(|door| !door.takes(kind))) {
            let message = format!(
                "port {} carries {}, where {} have no effect",
                port.value,
                first.carries,
                name(kind)
            );
            explain(findings.add(port, message), kind, &of_port);
        }
    }
    let anywhere = doors.iter().any(|door| door.takes(kind));
    let open = |route: &&AnyRoute<'_, '_>| route.matches.iter().all(|entry| entry.port.is_none());
    let Some(route) = routes.iter().find(open).filter(|_| !anywhere && !doors.is_empty()) else {
        return;
    };
    if kind != RouteKind::Http || !virtual_service.in_mesh() || !works_on_80(mesh, virtual_service) {
        let message = format!(
            "no port of this VirtualService is one where {} have an effect",
            name(kind)
        );
        let doors: Vec<_> = doors.iter().collect();
        explain(findings.add(route.span, message), kind, &doors);
    }
}

fn name(kind: RouteKind) -> &'static str {
    match kind {
        RouteKind::Http => "`http` routes",
        RouteKind::Tls => "`tls` routes",
        RouteKind::Tcp => "`tcp` routes",
    }
}

fn explain(finding: &mut Finding, kind: RouteKind, doors: &[&Door]) {
    finding.help(match kind {
        RouteKind::Http => "proxies look into requests on ports for HTTP alone; write `tcp` routes, or `tls` routes with `sniHosts` for TLS that the application speaks itself, or mend the protocol of the port",
        RouteKind::Tls => "`tls` routes are for TLS that is passed through; write `http` routes for plain HTTP and for a server that ends TLS, `tcp` routes for the rest",
        RouteKind::Tcp => "write `http` routes, or mend the protocol of the port",
    });
    for door in doors.iter().take(3) {
        let owner = if door.gateway.is_some() {
            "of the server"
        } else {
            "of the host"
        };
        finding.related(
            door.span,
            format!("port {} {owner} carries {}", door.number, door.carries),
        );
    }
}

/// On port 80 sidecars use every `VirtualService` with `http` routes, whatever the ports of its hosts (catalogue: sidecars,
/// 26). There some destinations work.
fn works_on_80<'a>(mesh: &Mesh<'a>, virtual_service: Object<'_, 'a, VirtualService<'a>>) -> bool {
    let works = |destination: &Destination<'a>| {
        let Some(host) = &destination.host else { return true };
        let Lookup::Found(found) = mesh.host(host, virtual_service.header) else {
            return true;
        };
        let number = destination
            .port
            .as_ref()
            .and_then(|port| port.number)
            .map_or(80, |number| number.value);
        let rules = mesh.destination_rules(&found.name);
        let encrypts = rules.iter().any(|rule| {
            let mut tls = rule.body.policy_levels().filter_map(|level| level.tls?.mode);
            tls.any(|mode| matches!(mode.as_str(), "SIMPLE" | "MUTUAL"))
        });
        let Some(doors) = mesh.doors_of(&found) else {
            return true;
        };
        doors
            .iter()
            .any(|door| door.number == number && (door.http || encrypts))
    };
    let answers =
        |route: &HttpRoute<'a>| route.redirect.is_some() || route.direct_response.is_some() || route.delegate.is_some();
    virtual_service
        .http
        .iter()
        .any(|route| answers(route) || route.destinations().any(works))
}
