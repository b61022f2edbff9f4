use crate::envoy::World;
use crate::envoy::client_tls::{ClientTls, Reach};
use crate::envoy::fleet::Fleet;
use crate::envoy::mtls::Mode;
use crate::findings::{Findings, Severity};
use crate::mesh::DataPlane;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Limits, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "plaintext-to-strict-workload",
    page: include_str!("../../../rules/plaintext-to-strict-workload.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["KIA0207", "KIA0208"],
    check: Check::Proxy(check),
};

fn check(fleet: &Fleet<'_, '_, '_>, _: &Limits, findings: &mut Findings) {
    let world = fleet.world;
    for rule in world.mesh.all::<DestinationRule<'_>>() {
        for tls in ClientTls::of(rule) {
            if !matches!(tls.mode(), "DISABLE" | "SIMPLE") {
                continue;
            }
            let Some((who, policy)) = who_demands(world, &tls) else {
                continue;
            };
            let finding = findings.add(
                tls.span(),
                format!("{who} only mutual TLS, which mode `{}` is not", tls.mode()),
            );
            finding.help("every connection is closed; without `tls` in the DestinationRule clients speak mutual TLS to whoever takes it, or allow plain connections with mode PERMISSIVE");
            if let Some(policy) = policy {
                finding.related(policy, "the mode of the servers");
            }
        }
    }
}

/// Who takes mutual TLS alone, as the beginning of a sentence, and where that is said.
fn who_demands<'m, 'a>(world: &World<'m, 'a>, tls: &ClientTls<'m, 'a>) -> Option<(String, Option<Span>)> {
    let mut unseen = true;
    for server in world.servers(tls).filter(|server| server.endpoint.mtls) {
        unseen = false;
        let strict = world.mode_of(server.endpoint) == Some(Mode::Strict);
        if strict && world.is_captured(server.endpoint) {
            let who = format!("`{}` takes on port {}", server.service.host, server.port.number);
            return Some((who, world.mode_place(server.endpoint, "STRICT")));
        }
    }
    if unseen { level_demands(world, tls) } else { None }
}

/// Where no server is in the input, the mode of a whole namespace or mesh tells.
fn level_demands<'m, 'a>(world: &World<'m, 'a>, tls: &ClientTls<'m, 'a>) -> Option<(String, Option<Span>)> {
    let (namespace, who) = match world.reach(tls.rule)? {
        Reach::Mesh => ("", "the mesh takes".to_owned()),
        Reach::Namespace(namespace) => (namespace, format!("namespace `{namespace}` takes")),
    };
    let followed = namespace.is_empty() || world.holds_for_namespace(tls, namespace);
    let policy = world.level_policy(namespace)?;
    let in_mesh = namespace.is_empty()
        || policy.header.namespace.as_str() == namespace
        || world.mesh.namespace_data_plane(namespace) == DataPlane::Sidecar;
    let strict = world.mtls.of_namespace(namespace) == Mode::Strict;
    (strict && in_mesh && followed).then(|| {
        (
            who,
            policy
                .body
                .mtls
                .as_ref()
                .and_then(|mtls| mtls.mode)
                .map(|mode| mode.span),
        )
    })
}
