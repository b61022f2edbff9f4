use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::model::istio::EnvoyFilter;
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

/// The name that took the place of an old one; `place` tells those apart that stand for two filters.
fn successor(old: &str, place: &str) -> Option<String> {
    let name = old.strip_prefix("envoy.")?;
    let new = match name {
        "ext_authz" => format!("{place}.ext_authz"),
        "rate_limit" => "http.ratelimit".to_owned(),
        "http_dynamo_filter" => "http.dynamo".to_owned(),
        "buffer"
        | "cors"
        | "csrf"
        | "fault"
        | "grpc_http1_bridge"
        | "grpc_json_transcoder"
        | "grpc_web"
        | "gzip"
        | "health_check"
        | "ip_tagging"
        | "lua"
        | "router"
        | "squash" => format!("http.{name}"),
        "listener.http_inspector"
        | "listener.original_dst"
        | "listener.original_src"
        | "listener.proxy_protocol"
        | "listener.tls_inspector" => name.to_owned(),
        "client_ssl_auth" | "http_connection_manager" | "mongo_proxy" | "ratelimit" | "redis_proxy" | "tcp_proxy" => {
            format!("network.{name}")
        }
        _ => return None,
    };
    Some(format!("envoy.filters.{new}"))
}
