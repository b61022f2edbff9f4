use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Lookup, Mesh};
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unknown-rule-host",
    page: include_str!("../../../rules/unknown-rule-host.md"),
    severity: Severity::Warning,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0174", "KIA0202"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh.all::<DestinationRule<'_>>() {
        let Some(host) = rule.host.as_ref().filter(|host| !host.starts_with('*')) else {
            continue;
        };
        let nearest = match mesh.host(host, rule.header) {
            Lookup::Absent { nearest } if mesh.knows_all_names(host, rule.header) => nearest,
            Lookup::Unknown => {
                findings.undecided(host);
                continue;
            }
            Lookup::Absent { .. } | Lookup::Found(_) => continue,
        };
        let fix = Fix::nearest(mesh.sources, host.span, nearest.as_deref());
        findings
            .add(host, format!("no Service or ServiceEntry defines `{host}`"))
            .help("the rule applies to nothing: its traffic policy and its subsets have no effect")
            .fix(fix);
    }
}
