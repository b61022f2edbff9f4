use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::Sidecar;
use crate::rules::{Check, Fixes, Rule};
use crate::values::address::{is_socket_path, split_port};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "malformed-default-endpoint",
    page: include_str!("../../../rules/malformed-default-endpoint.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        let endpoints = sidecar
            .ingress
            .iter()
            .filter_map(|listener| listener.default_endpoint.as_ref());
        for endpoint in endpoints.filter(|endpoint| !endpoint.is_empty() && !is_placeholder(endpoint)) {
            if let Some(fault) = judge(endpoint) {
                findings
                    .add(endpoint, format!("`{endpoint}` cannot be the default endpoint: {fault}"))
                    .help("istiod's webhook refuses the Sidecar; write `127.0.0.1:PORT` or `[::1]:PORT` for the application on the loopback interface, `0.0.0.0:PORT` or `[::]:PORT` for the pod's address, or `unix:///path`");
            }
        }
    }
}

fn judge(endpoint: &str) -> Option<&'static str> {
    if let Some(path) = endpoint.strip_prefix("unix://") {
        return (!is_socket_path(path)).then_some("the socket has no absolute path");
    }
    let Some((host, port)) = split_port(endpoint) else {
        return Some("it is no address with a port");
    };
    let valid = port.parse().is_ok_and(|port: i64| (1..=65535).contains(&port));
    if !matches!(host, "" | "127.0.0.1" | "0.0.0.0" | "::1" | "::") {
        Some("traffic can go only to the pod itself")
    } else if !valid {
        Some("its port is no number from 1 to 65535")
    } else {
        None
    }
}
