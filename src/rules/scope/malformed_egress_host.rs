use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Sidecar;
use crate::rules::{Check, Fixes, Rule};
use crate::values::host::{check_full, is_dns_label};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-egress-host",
    page: include_str!("../../../rules/malformed-egress-host.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        let hosts = sidecar.egress.iter().flat_map(|listener| &listener.hosts);
        for host in hosts.filter(|host| !is_placeholder(host)) {
            if let Some((message, help)) = judge(host) {
                findings
                    .add(host, message)
                    .help(format!("istiod's webhook refuses the Sidecar; {help}"));
            }
        }
    }
}

/// What is wrong with a host, and what to write.
fn judge(text: &str) -> Option<(String, &'static str)> {
    let Some((namespace, host)) = text.split_once('/') else {
        let message = format!("`{text}` does not say of which namespace it is");
        return Some((
            message,
            "write `namespace/host`: `./host` for the own namespace, `*/host` for any",
        ));
    };
    if namespace.is_empty() || host.is_empty() {
        let message = format!(
            "`{text}` lacks what stands {} the slash",
            if host.is_empty() { "behind" } else { "before" }
        );
        return Some((message, "write `namespace/host`, such as `./*` or `istio-system/*`"));
    }
    let name = namespace.strip_prefix('~').unwrap_or(namespace);
    if !matches!(name, "" | "*" | ".") && !is_dns_label(name) {
        let message = format!("`{namespace}` in `{text}` is no namespace");
        return Some((
            message,
            "before the slash stands the name of a namespace, `.` for the own, `*` for any or `~` for none",
        ));
    }
    let fault = check_full(host).err()?;
    let message = format!("`{text}` cannot be imported: {fault}");
    Some((
        message,
        "behind the slash stands the full name of a host, `*.` and a suffix, or `*`",
    ))
}
