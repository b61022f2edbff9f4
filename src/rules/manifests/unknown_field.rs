use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::{Refuser, ViolationKind};
use crate::yaml::edit::replace_scalar;

pub const RULE: Rule = Rule {
    id: "unknown-field",
    page: include_str!("../../../rules/unknown-field.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106", "CRD"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for violation in &mesh.violations {
        let ViolationKind::UnknownField { name, nearest, refuser } = &violation.kind else {
            continue;
        };
        let fix = nearest.as_ref().and_then(|near| {
            let edit = replace_scalar(mesh.sources, violation.span, near)?;
            Some(Fix::risky(format!("rename it to `{near}`"), edit))
        });
        let consequence = match refuser {
            Refuser::Istiod => "istiod ignores the field",
            _ => "the API server drops the field in silence, or refuses it where decoding is strict",
        };
        let help = match nearest {
            Some(near) => format!("did you mean `{near}`? {consequence}"),
            None => format!("{consequence}; look for the level where it belongs"),
        };
        findings
            .add(violation.span, format!("there is no field `{name}` here"))
            .help(help)
            .fix(fix);
    }
}
