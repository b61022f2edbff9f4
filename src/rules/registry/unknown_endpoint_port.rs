use super::{Resolution, resolution};
use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{ServiceEntry, ServicePort};
use crate::model::{Text, Value};
use crate::rules::{Check, Fixes, Rule};
use crate::schema::nearest;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unknown-endpoint-port",
    page: include_str!("../../../rules/unknown-endpoint-port.md"),
    severity: Severity::Error,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>() {
        let resolution = resolution(&entry);
        let resolved = resolution == Resolution::Static || resolution.is_by_name();
        let names: Option<Vec<&str>> = entry.body.ports.iter().map(known_name).collect();
        let Some(names) = names.filter(|_| resolved) else {
            continue;
        };
        let maps = entry
            .body
            .endpoints
            .iter()
            .filter_map(|endpoint| endpoint.ports.as_ref());
        for ports in maps {
            let Value::Map(ports) = &ports.value else {
                continue;
            };
            for (name, _) in ports
                .iter()
                .filter(|(name, _)| !names.contains(&name.as_str()) && !is_placeholder(name))
            {
                let nearest = nearest(name.as_str(), names.iter().copied());
                findings
                    .add(name, format!("the entry has no port `{name}`"))
                    .help("istiod's webhook refuses the entry; the ports of an endpoint have the names of the entry's `ports`")
                    .fix(Fix::nearest(mesh.sources, name.span, nearest));
            }
        }
    }
}

/// The name of a port, if it is there and certain.
fn known_name<'p>(port: &'p ServicePort<'_>) -> Option<&'p str> {
    port.name
        .as_ref()
        .map(Text::as_str)
        .filter(|name| !is_placeholder(name))
}
