use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::values::host::is_dns_label;
use crate::yaml::edit::replace_scalar;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "deprecated-gateway-name",
    page: include_str!("../../../rules/deprecated-gateway-name.md"),
    severity: Severity::Warning,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for gateway in named(virtual_service.body) {
            let Some(name) = newer(gateway) else {
                continue;
            };
            let edit = replace_scalar(mesh.sources, gateway.span, &name);
            findings
                .add(gateway, format!("`{gateway}` is a deprecated way to name a gateway"))
                .help(format!(
                    "istiod's webhook warns and accepts it; it is read as `{name}`: write that"
                ))
                .fix(edit.map(|edit| Fix::safe(format!("use `{name}`"), edit)));
        }
    }
}

fn named<'r, 'a>(virtual_service: &'r VirtualService<'a>) -> impl Iterator<Item = &'r Text<'a>> {
    let http = virtual_service.http.iter().flat_map(|route| &route.matches);
    let tls = virtual_service.tls.iter().flat_map(|route| &route.matches);
    let tcp = virtual_service.tcp.iter().flat_map(|route| &route.matches);
    let own = virtual_service.gateways.iter();
    own.chain(http.flat_map(|entry| &entry.gateways))
        .chain(tls.flat_map(|entry| &entry.gateways))
        .chain(tcp.flat_map(|entry| &entry.gateways))
}

/// `name.namespace`, and whatever follows, in the form `namespace/name`.
fn newer(gateway: &Text<'_>) -> Option<String> {
    if gateway.contains('/') || is_placeholder(gateway) {
        return None;
    }
    let (name, rest) = gateway.split_once('.')?;
    let namespace = rest.split('.').next()?;
    (is_dns_label(name) && is_dns_label(namespace)).then(|| format!("{namespace}/{name}"))
}
