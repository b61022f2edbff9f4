use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::WorkloadGroup;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "probe-without-method",
    page: include_str!("../../../rules/probe-without-method.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let groups = mesh.all::<WorkloadGroup<'_>>().filter(|group| !group.header.patched);
    for probe in groups
        .filter_map(|group| group.body.probe.as_deref())
        .filter(|probe| probe.is_empty)
    {
        findings
            .add(probe.span, "the probe does not say what to ask")
            .help("istiod's webhook refuses the group; set `httpGet`, `tcpSocket` or `exec`");
    }
}
