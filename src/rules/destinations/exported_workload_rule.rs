use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::model::Header;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::edit::replace_scalar;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "exported-workload-rule",
    page: include_str!("../../../rules/exported-workload-rule.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for rule in mesh.all::<DestinationRule<'_>>() {
        let Some(selector) = &rule.body.workload_selector else {
            continue;
        };
        for entry in rule
            .body
            .export_to
            .iter()
            .filter(|entry| is_elsewhere(entry, rule.header))
        {
            let only = rule.body.export_to.len() == 1;
            let edit = replace_scalar(mesh.sources, entry.span, ".").filter(|_| only);
            findings
                .add(entry, format!("a rule for some workloads is exported to `{entry}`"))
                .related(selector.span, "the workloads it is for")
                .help("istiod's webhook refuses the rule: workloads are selected in the rule's own namespace, so it may be exported only to `.`")
                .fix(edit.map(|edit| Fix::risky("export it to `.`", edit)));
        }
    }
}

/// Whether an entry surely means something else than the rule's own namespace.
fn is_elsewhere(entry: &str, header: &Header<'_>) -> bool {
    match entry {
        "." | "~" => false,
        "*" => true,
        _ => {
            let known = header.namespace_known && header.namespace_written && !is_placeholder(&header.namespace);
            known && !is_placeholder(entry) && entry != header.namespace.as_str()
        }
    }
}
