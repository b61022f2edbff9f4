use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Host, Lookup, Mesh, Object};
use crate::model::Text;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unknown-destination-host",
    page: include_str!("../../../rules/unknown-destination-host.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0101", "KIA1101"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for host in virtual_service
            .destinations()
            .filter_map(|destination| destination.host.as_ref())
        {
            let nearest = match mesh.host(host, virtual_service.header) {
                Lookup::Absent { nearest } => nearest,
                Lookup::Unknown => {
                    findings.undecided(host);
                    continue;
                }
                Lookup::Found(found) => {
                    hidden(mesh, virtual_service, host, &found, findings);
                    continue;
                }
            };
            let fix = Fix::nearest(mesh.sources, host.span, nearest.as_deref());
            let sure = mesh.knows_all_names(host, virtual_service.header);
            findings
                .add(host, format!("no Service or ServiceEntry defines `{host}`"))
                .related(virtual_service.header.name, "routed by this VirtualService")
                .severity(if sure { Severity::Error } else { Severity::Warning })
                .help("Envoy has no cluster for it and answers these requests with 503")
                .fix(fix);
        }
    }
}

/// A host of another namespace that is not exported to the namespace of the route: its own sidecars know no such cluster.
fn hidden<'a>(
    mesh: &Mesh<'a>,
    virtual_service: Object<'_, 'a, VirtualService<'a>>,
    host: &Text<'a>,
    found: &Host<'a>,
    findings: &mut Findings,
) {
    let namespace = virtual_service.header.namespace.as_str();
    let seen = found
        .providers
        .iter()
        .any(|provider| mesh.is_visible(*provider, namespace));
    if seen || !virtual_service.in_mesh() || found.name.namespace() == Some(namespace) {
        return;
    }
    findings
        .add(host, format!("`{host}` is not exported to namespace `{namespace}`"))
        .related(mesh.header(found.providers[0].id()).name, "defined here, with an `exportTo`")
        .severity(Severity::Warning)
        .help("the sidecars of the namespace have no cluster for it and answer these requests with 503; export it to them");
}
