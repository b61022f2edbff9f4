use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{Lookup, Mesh};
use crate::model::istio::Gateway;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unmatched-gateway-selector",
    page: include_str!("../../../rules/unmatched-gateway-selector.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0101", "KIA0302"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        let nearest = match mesh.gateway_workloads(gateway) {
            Lookup::Absent { nearest } => nearest,
            Lookup::Unknown => {
                findings.undecided(gateway.header.name);
                continue;
            }
            Lookup::Found(()) => continue,
        };
        let Some((key, value)) = gateway.selector.spanned().first() else {
            continue;
        };
        let fix = Fix::nearest(mesh.sources, value.span, nearest.as_deref());
        let more = if gateway.selector.spanned().len() > 1 {
            " and the other labels of the selector"
        } else {
            ""
        };
        findings
            .add(value, format!("no pod has the label `{key}: {value}`{more}"))
            .help("no proxy takes this Gateway: nothing listens on its ports; compare with the labels of the gateway's pod template")
            .fix(fix);
    }
}
