use crate::envoy::World;
use crate::envoy::client_tls::{ClientTls, Server};
use crate::envoy::fleet::Fleet;
use crate::envoy::mtls::Mode;
use crate::findings::{Findings, Severity};
use crate::mesh::DataPlane;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Limits, Rule};

pub const RULE: Rule = Rule {
    id: "mutual-tls-without-sidecar",
    page: include_str!("../../../rules/mutual-tls-without-sidecar.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Proxy(check),
};

fn check(fleet: &Fleet<'_, '_, '_>, _: &Limits, findings: &mut Findings) {
    let world = fleet.world;
    for rule in world.mesh.all::<DestinationRule<'_>>() {
        for tls in ClientTls::of(rule).iter().filter(|tls| tls.mode() == "ISTIO_MUTUAL") {
            let Some(server) = world.servers(tls).find(|server| lacks_sidecar(world, server)) else {
                continue;
            };
            let host = &server.service.host;
            let finding = findings.add(
                tls.span(),
                format!("pods of `{host}` have no sidecar to take mutual TLS"),
            );
            finding.help("every connection to them fails; without `tls` in the DestinationRule clients speak mutual TLS to pods that have a sidecar and plain text to others; or add a rule with mode DISABLE for this host");
            if let Some(pod) = world.pod_of(server.endpoint) {
                finding.related(world.mesh.header(pod.resource).name, "no sidecar is injected here");
            }
            // Of a wildcard it is not known that anybody calls this host.
            if world.reach(rule).is_some() {
                finding.severity(Severity::Warning);
            }
        }
    }
}

/// Whether the pod has no proxy. Namespaces of Istio itself and of Kubernetes do not count, nor those whose mode is DISABLE, of
/// which another rule speaks.
fn lacks_sidecar<'m, 'a>(world: &World<'m, 'a>, server: &Server<'_, 'm, 'a>) -> bool {
    let namespace = server.service.namespace;
    let system = namespace == world.mesh.settings.root_namespace || namespace.starts_with("kube-");
    let bare = world.pod_of(server.endpoint).is_some_and(|pod| {
        let header = world.mesh.header(pod.resource);
        pod.data_plane == DataPlane::None && !header.patched && world.mesh.is_surely(header, server.service.header)
    });
    !system && world.mtls.of_namespace(namespace) != Mode::Disable && bare
}
