use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "route-without-action",
    page: include_str!("../../../rules/route-without-action.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        if virtual_service.header.patched {
            continue;
        }
        for route in virtual_service.http.iter().filter(|route| route.lacks_action) {
            findings
                .add(route.span, "this route does nothing with the requests that it takes")
                .missing("route")
                .help("istiod's webhook refuses the VirtualService; name destinations in `route`, or answer with `redirect` or `directResponse`");
        }
    }
}
