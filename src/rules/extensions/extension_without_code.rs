use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::TrafficExtension;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "extension-without-code",
    page: include_str!("../../../rules/extension-without-code.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for extension in mesh.all::<TrafficExtension<'_>>() {
        let has_code = extension.wasm.is_some() || extension.lua.is_some() || !extension.lacks_code;
        if !has_code && !extension.header.patched {
            findings
                .add(extension.header.name, format!("TrafficExtension `{}` has neither `wasm` nor `lua`", extension.header.name))
                .missing_at("spec")
                .help("the CRD schema and istiod's webhook refuse it: an extension is a WebAssembly module or a Lua script");
        }
    }
}
