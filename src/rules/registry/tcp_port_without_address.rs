use super::{Resolution, resolution};
use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, Object};
use crate::model::istio::ServiceEntry;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "tcp-port-without-address",
    page: include_str!("../../../rules/tcp-port-without-address.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for entry in mesh.all::<ServiceEntry<'_>>().filter(has_no_address) {
        for port in &entry.body.ports {
            let said = port.protocol.filter(|protocol| !protocol.is_empty());
            let number = port
                .number
                .map_or_else(|| "of the entry".to_owned(), |number| number.to_string());
            let finding = match said {
                Some(protocol) if protocol.eq_ignore_ascii_case("TCP") => {
                    findings.add(protocol, format!("TCP port {number} has no address to be told by"))
                }
                Some(_) => continue,
                None => findings
                    .add(
                        port.span,
                        format!("port {number} has no protocol, and no address to be told by"),
                    )
                    .missing("protocol"),
            };
            finding.help("the entry is accepted with a warning: proxies take every connection to that port, whatever its address, for this host; set `addresses`, or a protocol that names its host");
        }
    }
}

/// Whether the entry names no address and is given none: istiod does that, but not without resolution and not where a
/// label forbids it.
fn has_no_address(entry: &Object<'_, '_, ServiceEntry<'_>>) -> bool {
    let forbidden = entry
        .header
        .labels
        .get("networking.istio.io/enable-autoallocate-ip")
        .is_some_and(|value| value.eq_ignore_ascii_case("false"));
    entry.body.addresses.is_empty() && (forbidden || resolution(entry) == Resolution::None)
}
