use crate::findings::{Findings, Severity};
use crate::mesh::{Hidden, Mesh, hidden_routes};
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unreachable-route",
    page: include_str!("../../../rules/unreachable-route.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0130"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for hidden in hidden_routes(virtual_service.body) {
            let (route, cause, what) = match hidden {
                Hidden::AfterAll { route, all } => (route, all, "has no `match` and takes everything"),
                Hidden::AllRepeated { route, first } => (route, first, "the same match"),
                Hidden::Repeated { .. } => continue,
            };
            findings
                .add(route, "nothing reaches this route")
                .related(cause, what)
                .help("the first route that fits is used, and an earlier one takes all that would fit here; istiod's webhook warns and accepts it; move this route up, or drop it");
        }
    }
}
