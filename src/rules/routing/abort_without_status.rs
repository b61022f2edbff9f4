use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "abort-without-status",
    page: include_str!("../../../rules/abort-without-status.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        if virtual_service.header.patched {
            continue;
        }
        let faults = virtual_service.http.iter().filter_map(|route| route.fault.as_ref());
        for abort in faults.filter_map(|fault| fault.abort.as_deref()) {
            if abort.lacks_error {
                findings
                    .add(abort.span, "this abort does not say with which error")
                    .missing("httpStatus")
                    .help("nobody refuses it, and no request is aborted; set `httpStatus` or `grpcStatus`");
            }
        }
    }
}
