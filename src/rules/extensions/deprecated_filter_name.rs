use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{EnvoyFilter, successor};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::edit::replace_scalar;

pub const RULE: Rule = Rule {
    id: "deprecated-filter-name",
    page: include_str!("../../../rules/deprecated-filter-name.md"),
    severity: Severity::Warning,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, filter) in mesh
        .all::<EnvoyFilter<'_>>()
        .flat_map(|filter| filter.body.filter_matches())
    {
        let inner = filter
            .sub_filter
            .as_ref()
            .and_then(|sub_filter| sub_filter.name.as_ref());
        let named = filter.name.as_ref().map(|name| (name, successor(name, "network")));
        for (name, new) in named
            .into_iter()
            .chain(inner.map(|name| (name, successor(name, "http"))))
        {
            if let Some(new) = new {
                let edit = replace_scalar(mesh.sources, name.span, &new);
                findings
                    .add(name, format!("`{name}` is a deprecated name of a filter"))
                    .help(format!("istiod still takes it for `{new}`, and its webhook warns"))
                    .fix(edit.map(|edit| Fix::safe(format!("use `{new}`"), edit)));
            }
        }
    }
}
