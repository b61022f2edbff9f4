use crate::findings::{Findings, Severity};
use crate::mesh::{DataPlane, Mesh, Object, Protocol, protocol};
use crate::model::Text;
use crate::model::kubernetes::{Service, ServicePort};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "port-without-protocol",
    page: include_str!("../../../rules/port-without-protocol.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0118", "KIA0601"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for service in mesh.all::<Service<'_>>() {
        let unclear: Vec<_> = service.ports.iter().filter(|port| is_unclear(port)).collect();
        if unclear.is_empty() || is_left_alone(mesh, service) {
            continue;
        }
        let headless = service.cluster_ip.as_ref().map(Text::as_str) == Some("None");
        match mesh.service_data_plane(&service.selector, service.header.namespace.as_str()) {
            DataPlane::Sidecar => {}
            DataPlane::Unknown if headless => {}
            DataPlane::Unknown => {
                findings.undecided(service.header.name);
                continue;
            }
            DataPlane::Ambient | DataPlane::None => continue,
        }
        for port in unclear {
            report(port, headless, findings);
        }
    }
}

fn report(port: &ServicePort<'_>, headless: bool, findings: &mut Findings) {
    let number = port.port.map_or(0, |number| number.value);
    let help = if headless {
        "on a headless Service proxies do not detect the protocol, so HTTP rules do not apply; name the port `http-…`, `grpc-…`, `tcp-…`, or set `appProtocol`"
    } else {
        "proxies guess from the first bytes, and HTTP routes and policies fail where the server speaks first; name the port `http-…`, `grpc-…`, `tcp-…`, or set `appProtocol`"
    };
    match (port.app_protocol, port.name) {
        (Some(said), _) => findings
            .add(
                said,
                format!("`{said}` is no protocol that Istio knows, so port {number} has none"),
            )
            .help(help),
        (None, Some(name)) => findings
            .add(name, format!("the name `{name}` of port {number} says no protocol"))
            .help(help),
        (None, None) => findings
            .add(port.span, format!("port {number} has no name and says no protocol"))
            .missing("name")
            .help(help),
    };
}

fn is_unclear(port: &ServicePort<'_>) -> bool {
    let text = |text: &Option<Text<'_>>| text.map(|text| text.as_str().to_owned());
    let (transport, said, name) = (text(&port.protocol), text(&port.app_protocol), text(&port.name));
    let number = port.port.map_or(0, |number| number.value);
    let placeholder = [&said, &name]
        .into_iter()
        .flatten()
        .any(|text| crate::yaml::is_placeholder(text));
    !placeholder && protocol(transport.as_deref(), said.as_deref(), name.as_deref(), number) == Protocol::Auto
}

/// Services of the control plane and of gateways, those that a gateway controller makes, and names of outside hosts.
fn is_left_alone<'a>(mesh: &Mesh<'a>, service: Object<'_, 'a, Service<'a>>) -> bool {
    let labels = &service.header.labels;
    let outside = service.type_name.as_ref().map(Text::as_str) == Some("ExternalName");
    let control_plane = labels.get("istio").is_some() || labels.has("release", "istio");
    let gateway = labels.get("gateway.istio.io/managed").is_some()
        || !service.selector.is_empty()
            && mesh.selects_gateways(&service.selector, Some(service.header.namespace.as_str()));
    outside || control_plane || gateway
}
