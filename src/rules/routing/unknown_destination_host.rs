use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Lookup, Mesh};
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::edit::replace_scalar;

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
                Lookup::Found(_) => continue,
            };
            let fix = nearest.and_then(|near| {
                Some(Fix::risky(
                    format!("use `{near}`"),
                    replace_scalar(mesh.sources, host.span, &near)?,
                ))
            });
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
