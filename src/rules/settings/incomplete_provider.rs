use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "incomplete-provider",
    page: include_str!("../../../rules/incomplete-provider.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    mesh.mesh_configs(|config| {
        for provider in &config.extension_providers {
            match &provider.name {
                None => {
                    findings
                        .add(provider.span, "this extension provider has no name")
                        .missing("name")
                        .help(HELP);
                }
                Some(name) if name.is_empty() => {
                    findings
                        .add(name, "the name of this extension provider is empty")
                        .help(HELP);
                }
                Some(name) if provider.is_bare => {
                    findings
                        .add(
                            name,
                            format!("the extension provider `{name}` has nothing but its name"),
                        )
                        .help(HELP);
                }
                Some(_) => {}
            }
        }
    });
}

const HELP: &str = "nobody refuses it, istiod only logs it and leaves the provider out; a provider has a name and one kind, such as `envoyExtAuthzHttp`, `opentelemetry` or `prometheus: {}`";
