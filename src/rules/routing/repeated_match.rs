use crate::findings::{Findings, Severity};
use crate::mesh::{Hidden, Mesh, hidden_routes};
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "repeated-match",
    page: include_str!("../../../rules/repeated-match.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0131"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for hidden in hidden_routes(virtual_service.body) {
            if let Hidden::Repeated { at, first } = hidden {
                findings
                    .add(at, "this match repeats an earlier one")
                    .related(first, "the same match")
                    .help("the first match that fits is used, so nothing comes to this one; istiod's webhook warns and accepts it; drop it, or mend the condition that was meant to differ");
            }
        }
    }
}
