use crate::findings::{Findings, Severity};
use crate::mesh::{DATA_PLANE_MODE, INJECTION, Mesh, REVISION};
use crate::model::Namespace;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "conflicting-injection-labels",
    page: include_str!("../../../rules/conflicting-injection-labels.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0123"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for namespace in mesh.all::<Namespace<'_>>() {
        let labels = &namespace.header.labels;
        let injection = labels.entry(INJECTION).filter(|(_, value)| value.as_str() == "enabled");
        let revision = labels
            .entry(REVISION)
            .filter(|(_, value)| !value.is_empty() && value.as_str() != "default");
        let ambient = labels
            .entry(DATA_PLANE_MODE)
            .filter(|(_, value)| value.as_str() == "ambient");
        if let (Some((_, injection)), Some((_, revision))) = (injection, revision) {
            findings
                .add(
                    revision,
                    format!(
                        "`istio-injection` overrides revision `{revision}` of namespace `{}`",
                        namespace.name
                    ),
                )
                .related(injection, "pods go to the default revision because of this")
                .help("remove `istio-injection` to let the revision decide; pods change over when they restart");
        }
        if let (Some((_, sidecar)), Some((_, ambient))) = (injection.or(revision), ambient) {
            findings
                .add(
                    ambient,
                    format!(
                        "namespace `{}` asks for the ambient mesh and for sidecars",
                        namespace.name
                    ),
                )
                .related(
                    sidecar,
                    "pods get a sidecar because of this, and ztunnel leaves those alone",
                )
                .help("keep one of the two labels");
        }
    }
}
