use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::envoy::World;
use crate::envoy::fleet::Fleet;
use crate::envoy::pods::{PodGroup, Role};
use crate::envoy::registry::UNDATED;
use crate::envoy::routing::RoutesId;
use crate::envoy::routing::model::VirtualRoutes;
use crate::envoy::scope::Scope;
use crate::findings::{Findings, Fix, Severity};
use crate::mesh::{DataPlane, ExportTo, HostName, Lookup, Mesh, Object};
use crate::model::istio::{Sidecar, VirtualService};
use crate::model::{Slot, Text};
use crate::rules::{Check, Fixes, Limits, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "ineffective-virtual-service",
    page: include_str!("../../../rules/ineffective-virtual-service.md"),
    severity: Severity::Warning,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &[],
    check: Check::Proxy(check),
};

type Service<'m, 'a> = Object<'m, 'a, VirtualService<'a>>;

fn check(fleet: &Fleet<'_, '_, '_>, _: &Limits, findings: &mut Findings) {
    let mesh = fleet.world.mesh;
    let scopes = Scopes::new(fleet);
    let roots = delegates_of(mesh);
    for virtual_service in mesh.all::<VirtualService<'_>>().filter(|service| is_whole(*service)) {
        if virtual_service.is_delegate() {
            judge_delegate(mesh, virtual_service, &roots, findings);
        } else if virtual_service
            .gateways
            .iter()
            .all(|gateway| gateway.as_str() == "mesh")
            && !judge_hosts(mesh, virtual_service, findings)
        {
            scopes.judge(fleet.world, virtual_service, findings);
        }
    }
}

fn is_whole(virtual_service: Service<'_, '_>) -> bool {
    let header = virtual_service.header;
    !header.patched && !header.renamed && header.namespace_known && !virtual_service.placeholders
}

/// Namespace and name of all `VirtualService`s to which others delegate.
fn delegates_of<'a>(mesh: &Mesh<'a>) -> FxHashSet<(&'a str, &'a str)> {
    let roots = mesh.all::<VirtualService<'a>>();
    let named = roots.flat_map(|root| {
        let delegates = root.body.http.iter().filter_map(|route| route.delegate.as_ref());
        delegates.filter_map(move |delegate| {
            let namespace = delegate.namespace.unwrap_or(root.header.namespace);
            Some((namespace.value.as_str(), delegate.name?.value.as_str()))
        })
    });
    named.collect()
}

/// A `VirtualService` without hosts to which none delegates.
fn judge_delegate(
    mesh: &Mesh<'_>,
    delegate: Service<'_, '_>,
    roots: &FxHashSet<(&str, &str)>,
    findings: &mut Findings,
) {
    let header = delegate.header;
    let (namespace, name) = (header.namespace.as_str(), header.name.as_str());
    let private = matches!(delegate.export_to.as_slice(), [only] if only.as_str() == ".");
    let known = mesh.settings.complete || private && mesh.owns(Slot::VirtualService, namespace, header);
    let placeholders = mesh.all::<VirtualService<'_>>().any(|root| root.placeholders);
    if known && !roots.contains(&(namespace, name)) && !placeholders {
        findings
            .add(
                header.name,
                "no VirtualService delegates to this one, and it has no hosts",
            )
            .help("its routes are never used; name it as `delegate` of a route, or give it hosts");
    }
}

/// Speaks where every host is written like `reviews.shop`, which names no Service, and no port of such a Service is 80: there
/// alone sidecars would take the host as it is written (catalogue: sidecars, 24 to 26).
fn judge_hosts<'a>(mesh: &Mesh<'a>, virtual_service: Service<'_, 'a>, findings: &mut Findings) -> bool {
    let meant: Option<Vec<_>> = virtual_service
        .body
        .hosts
        .iter()
        .map(|host| meant(mesh, host, virtual_service))
        .collect();
    let Some(meant) = meant else { return false };
    for (host, full) in virtual_service.body.hosts.iter().zip(&meant) {
        findings
            .add(host, format!("`{host}` is no Service here, so the VirtualService is for no host that is called"))
            .fix(Fix::nearest(mesh.sources, *host, Some(full)))
            .help("only a name without a dot is completed; a host of another namespace needs its full name, or the routes have no effect");
    }
    !meant.is_empty()
}

/// The full name of a Service without port 80 that a host means without saying so.
fn meant<'a>(mesh: &Mesh<'a>, host: &Text<'a>, virtual_service: Service<'_, 'a>) -> Option<String> {
    let Lookup::Absent { nearest: Some(full) } = mesh.host(host, virtual_service.header) else {
        return None;
    };
    let begins = full
        .strip_prefix(host.as_str())
        .is_some_and(|rest| rest.starts_with('.'));
    let name = mesh.host_name(&full, virtual_service.header.namespace.as_str());
    let ports = mesh.ports_of_name(&name)?;
    let literal = matches!(mesh.host_name(host.as_str(), ""), HostName::Literal(_));
    (begins && literal && !ports.contains(&80)).then_some(full)
}

/// What the sidecars of the input are told of.
struct Scopes<'m> {
    all: Vec<(&'m str, Arc<Scope>)>,
    /// Routes that some sidecar is told of.
    told: FxHashSet<RoutesId>,
    by_span: FxHashMap<Span, RoutesId>,
    /// How many routes have a host.
    claims: FxHashMap<String, usize>,
}

impl<'m> Scopes<'m> {
    fn new<'a>(fleet: &Fleet<'_, 'm, 'a>) -> Self {
        let world = fleet.world;
        let mut seen = FxHashSet::default();
        let sidecars = fleet
            .proxies
            .iter()
            .filter(|compiled| compiled.proxy.role == Some(Role::Sidecar));
        let all: Vec<_> = sidecars
            .map(|compiled| (compiled.proxy.namespace, world.scope(compiled.proxy)))
            .filter(|(_, scope)| seen.insert(Arc::as_ptr(scope)))
            .collect();
        let mut claims: FxHashMap<String, usize> = FxHashMap::default();
        for host in world.routes.all.iter().flat_map(|routes| &routes.hosts) {
            *claims.entry(host.to_string()).or_default() += 1;
        }
        Self {
            told: all.iter().flat_map(|(_, scope)| scope.routes.iter().copied()).collect(),
            by_span: world
                .routes
                .all
                .iter()
                .enumerate()
                .map(|(id, routes)| (routes.span, id))
                .collect(),
            all,
            claims,
        }
    }

    fn judge<'a>(&self, world: &World<'m, 'a>, virtual_service: Service<'m, 'a>, findings: &mut Findings) {
        let Some(id) = self.by_span.get(&virtual_service.header.span) else {
            return;
        };
        let routes = &world.routes.all[*id];
        if !self.told.contains(id) {
            if self.clients_are_known(world, virtual_service, routes) {
                self.explain_scope(world, virtual_service, routes, findings);
            }
            return;
        }
        let contested = routes
            .hosts
            .iter()
            .all(|host| self.claims.get(host.as_str()).is_some_and(|count| *count > 1));
        let winner = if contested { self.winner(world, *id) } else { None };
        let Some(winner) = winner.filter(|_| self.clients_are_known(world, virtual_service, routes)) else {
            return;
        };
        findings
            .add(virtual_service.header.name, "another VirtualService takes all hosts of this one in every sidecar")
            .related(world.routes.all[winner].span, "this one comes first")
            .help("sidecars use one VirtualService for a host: private ones before those that are exported, then the older; merge the two");
    }

    /// The routes that take every host, in all scopes and for certain.
    fn winner(&self, world: &World<'_, '_>, id: RoutesId) -> Option<RoutesId> {
        let routes = &world.routes.all[id];
        let mut winner = None;
        for (namespace, scope) in self.all.iter().filter(|(_, scope)| scope.routes.contains(&id)) {
            for host in &routes.hosts {
                let claims = |other: &&RoutesId| world.routes.all[**other].hosts.contains(host);
                let first = scope.routes.iter().find(claims)?;
                if *first == id || !surely_before(&world.routes.all[*first], routes, namespace) {
                    return None;
                }
                winner = winner.or(Some(*first));
            }
        }
        winner
    }

    /// Whether every sidecar that could use it is in the input, and there is one.
    fn clients_are_known<'a>(
        &self,
        world: &World<'m, 'a>,
        virtual_service: Service<'m, 'a>,
        routes: &VirtualRoutes<'_>,
    ) -> bool {
        let mesh = world.mesh;
        let owned = match &routes.export_to {
            ExportTo::All => mesh.settings.complete,
            ExportTo::Only(places) => places
                .iter()
                .all(|place| mesh.owns(Slot::Workload, place, virtual_service.header)),
        };
        let unclear = |pod: &PodGroup<'_, '_>| {
            let other = matches!(pod.data_plane, DataPlane::Ambient | DataPlane::Unknown);
            other && routes.export_to.admits(pod.namespace)
        };
        let any = self.all.iter().any(|(namespace, _)| routes.export_to.admits(namespace));
        owned && any && !world.pods.iter().any(unclear)
    }

    fn explain_scope<'a>(
        &self,
        world: &World<'m, 'a>,
        virtual_service: Service<'m, 'a>,
        routes: &VirtualRoutes<'_>,
        findings: &mut Findings,
    ) {
        let seeing = self
            .all
            .iter()
            .filter(|(namespace, _)| routes.export_to.admits(namespace));
        let sidecars: FxHashSet<_> = seeing.filter_map(|(_, scope)| scope.sidecar).collect();
        let mut sidecars: Vec<_> = sidecars.into_iter().collect();
        sidecars.sort_unstable();
        if sidecars.is_empty() {
            return;
        }
        let finding = findings.add(
            virtual_service.header.name,
            "no sidecar imports a host of this VirtualService",
        );
        finding.help("the `egress` hosts of the Sidecars leave it out, so that it has no effect; add its hosts there");
        for sidecar in sidecars
            .iter()
            .take(3)
            .filter_map(|id| world.mesh.object::<Sidecar<'a>>(*id))
        {
            finding.related(sidecar.header.name, "its egress hosts are others");
        }
    }
}

/// Whether routes come before others for sidecars of a namespace, whatever order the resources are applied in.
fn surely_before(first: &VirtualRoutes<'_>, second: &VirtualRoutes<'_>, namespace: &str) -> bool {
    let rank = |routes: &VirtualRoutes<'_>| match &routes.export_to {
        ExportTo::All => 2,
        ExportTo::Only(_) if routes.namespace != namespace => 1,
        ExportTo::Only(_) => 0,
    };
    let dated = first.created != UNDATED && second.created != UNDATED;
    rank(first) < rank(second) || dated && first.created < second.created
}
