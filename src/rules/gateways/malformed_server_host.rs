use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Gateway;
use crate::rules::{Check, Fixes, Rule};
use crate::values::address;
use crate::values::host::{Fault, check_full, is_dns_label};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-server-host",
    page: include_str!("../../../rules/malformed-server-host.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

/// On a Gateway that istiod made of one of the Gateway API, where `~` stands for a host without routes.
const SEMANTICS: &str = "internal.istio.io/gateway-semantics";

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for gateway in mesh.all::<Gateway<'_>>() {
        let header = gateway.header;
        let hosts = gateway.servers.iter().flat_map(|server| &server.hosts);
        for text in hosts.filter(|text| !is_placeholder(text)) {
            let (namespace, host) = text
                .split_once('/')
                .map_or((None, text.as_str()), |(namespace, host)| (Some(namespace), host));
            let generated = namespace == Some("~") && header.annotations.has(SEMANTICS, "gateway");
            if let Some(namespace) = namespace.filter(|namespace| !generated && !is_namespace(namespace)) {
                findings
                    .add(text, format!("`{namespace}` in `{text}` is no namespace"))
                    .help("istiod's webhook refuses the Gateway; before the slash stands the name of a namespace, `.` for the Gateway's own, or `*` for any");
            }
            if let Err(fault) = judge(host) {
                findings
                    .add(text, format!("a server cannot have the host `{text}`: {fault}"))
                    .help("istiod's webhook refuses the Gateway; write the full name, `*.` and a suffix, or `*`");
            }
        }
    }
}

fn is_namespace(text: &str) -> bool {
    matches!(text, "*" | ".") || is_dns_label(text)
}

/// An address is good as well, if it has dots.
fn judge(host: &str) -> Result<(), Fault<'_>> {
    let is_address = host.contains('.') && address::parse(host).is_some();
    if is_address { Ok(()) } else { check_full(host) }
}
