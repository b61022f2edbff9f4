use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{TrafficExtension, WasmPlugin};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "value-beside-host-variable",
    page: include_str!("../../../rules/value-beside-host-variable.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let plugins = mesh
        .all::<WasmPlugin<'_>>()
        .filter_map(|plugin| plugin.body.vm_config.as_ref());
    let modules = mesh
        .all::<TrafficExtension<'_>>()
        .filter_map(|extension| extension.body.wasm.as_ref());
    let settings = plugins.chain(modules.filter_map(|module| module.vm_config.as_ref()));
    for variable in settings.flat_map(|settings| &settings.env) {
        let (Some(from), Some(value)) = (&variable.value_from, &variable.value) else {
            continue;
        };
        if from.as_str() == "HOST" {
            findings
                .add(value, "this variable has a value, but takes it from the proxy")
                .related(from, "where it is taken from")
                .help("the CRD schema and istiod's webhook refuse it; `valueFrom: INLINE`, the default, goes with a value");
        }
    }
}
