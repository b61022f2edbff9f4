use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::ViolationKind;

pub const RULE: Rule = Rule {
    id: "too-new-for-version",
    page: include_str!("../../../rules/too-new-for-version.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::TooNew { name, since, is_word } = &violation.kind else {
            continue;
        };
        let help = if *is_word {
            "the Istio that is checked for does not know it: the API server refuses the resource"
        } else {
            "the Istio that is checked for does not know it: the API server drops the field in silence, or refuses it \
             where decoding is strict"
        };
        findings
            .add(violation.span, format!("`{name}` comes with Istio {since}"))
            .help(help);
    }
}
