use rustc_hash::FxHashSet;

use crate::envoy::World;
use crate::envoy::fleet::{Compiled, Fleet};
use crate::envoy::pods::Role;
use crate::envoy::policies::Target;
use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Object;
use crate::model::istio::{EnvoyConfigObjectMatch, EnvoyConfigObjectPatch, EnvoyFilter, Targets};
use crate::model::{Slot, Text};
use crate::rules::{Check, Fixes, Limits, Rule};
use crate::schema::nearest;

pub const RULE: Rule = Rule {
    id: "ineffective-patch",
    page: include_str!("../../../rules/ineffective-patch.md"),
    severity: Severity::Warning,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &[],
    check: Check::Proxy(check),
};

type Filter<'m, 'a> = Object<'m, 'a, EnvoyFilter<'a>>;

fn check(fleet: &Fleet<'_, '_, '_>, _: &Limits, findings: &mut Findings) {
    let mut filters = fleet
        .world
        .mesh
        .all::<EnvoyFilter<'_>>()
        .filter(|filter| !filter.header.patched)
        .peekable();
    if filters.peek().is_none() {
        return;
    }
    for filter in filters {
        let proxies = proxies_of(fleet, filter);
        let idle = filter
            .body
            .config_patches
            .iter()
            .filter(|patch| !fleet.patched.contains(&patch.span));
        // A patch for certain versions of the proxy may be for others than this one.
        for patch in idle.filter(|patch| patch.matches.as_ref().is_none_or(|matches| matches.proxy.is_none())) {
            if !judge_context(fleet, filter, patch, &proxies, findings) {
                judge_names(fleet.world, patch, &proxies, findings);
            }
        }
    }
}

fn proxies_of<'f, 'w, 'm, 'a>(fleet: &'f Fleet<'w, 'm, 'a>, filter: Filter<'m, 'a>) -> Vec<&'f Compiled<'w, 'm, 'a>> {
    let (world, namespace) = (fleet.world, filter.header.namespace.as_str());
    let targets = Targets::of(&world.mesh.resources[filter.id as usize].body);
    let root = namespace == world.mesh.settings.root_namespace;
    let near = fleet
        .proxies
        .iter()
        .filter(|compiled| root || compiled.proxy.namespace == namespace);
    near.filter(|compiled| Target::of(compiled.proxy).takes(world, filter.header, targets))
        .collect()
}

fn context<'p, 'a>(patch: &'p EnvoyConfigObjectPatch<'a>) -> Option<(&'p Text<'a>, Role)> {
    let context = patch.matches.as_ref()?.context.as_ref()?;
    let role = match context.as_str() {
        "GATEWAY" => Role::Gateway,
        "SIDECAR_INBOUND" | "SIDECAR_OUTBOUND" => Role::Sidecar,
        _ => return None,
    };
    Some((context, role))
}

/// Speaks where none of the proxies is of the kind that the context means, and the others are known.
fn judge_context(
    fleet: &Fleet<'_, '_, '_>,
    filter: Filter<'_, '_>,
    patch: &EnvoyConfigObjectPatch<'_>,
    proxies: &[&Compiled<'_, '_, '_>],
    findings: &mut Findings,
) -> bool {
    let Some((context, role)) = context(patch) else {
        return false;
    };
    let mesh = fleet.world.mesh;
    let (namespace, attached) = (filter.header.namespace.as_str(), !filter.body.target_refs.is_empty());
    if attached || proxies.iter().any(|compiled| compiled.proxy.role == Some(role)) {
        return false;
    }
    let elsewhere = fleet.proxies.iter().find(|compiled| compiled.proxy.role == Some(role));
    let root = namespace == mesh.settings.root_namespace;
    // Few namespaces have gateways, so that those of the input are likely to be all of them.
    let known = mesh.settings.complete
        || !root && mesh.owns(Slot::Workload, namespace, filter.header)
        || !root && role == Role::Gateway && elsewhere.is_some_and(|other| other.proxy.namespace != namespace);
    let selected = filter
        .body
        .workload_selector
        .as_ref()
        .is_some_and(|selector| !selector.labels.is_empty());
    let unknown_pods = mesh
        .workloads_in(namespace)
        .iter()
        .any(|workload| mesh.attachment(*workload).data_plane == crate::mesh::DataPlane::Unknown);
    if !known || unknown_pods && role == Role::Sidecar {
        return true;
    }
    let who = if role == Role::Gateway { "gateway" } else { "sidecar" };
    let message = match (root, selected) {
        (true, _) => format!("no {who} takes this patch"),
        (false, true) => format!("no {who} in namespace `{namespace}` has the labels that this EnvoyFilter selects"),
        (false, false) => format!("no {who} runs in namespace `{namespace}`"),
    };
    let finding = findings.add(context, message);
    finding.help("an EnvoyFilter reaches the proxies of its own namespace, and one in the root namespace those of all; move it to the namespace of the pods that it is for");
    if let Some(other) = elsewhere {
        finding.related(
            mesh.header(other.proxy.resource).name,
            format!("a {who} runs in namespace `{}`", other.proxy.namespace),
        );
    }
    true
}

/// Speaks of the first name that none of the proxies has. What routes, policies and filters there are is only known of a
/// complete run.
fn judge_names<'m, 'a>(
    world: &World<'m, 'a>,
    patch: &EnvoyConfigObjectPatch<'_>,
    proxies: &[&Compiled<'_, 'm, 'a>],
    findings: &mut Findings,
) {
    let mesh = world.mesh;
    let Some(matches) = patch
        .matches
        .as_deref()
        .filter(|_| mesh.settings.complete && !proxies.is_empty())
    else {
        return;
    };
    let names = names_of(world, proxies);
    let missing = asked(matches).into_iter().find(|name| !names.contains(name.as_str()));
    let help =
        "the patch changes nothing in any proxy that it is for; compare with what `meshlint proxy-config` prints";
    let finding = if let Some(name) = missing {
        let near = nearest(name, names.iter().map(String::as_str));
        let message = format!("no proxy that this patch is for has anything named `{name}`");
        findings.add(name, message).fix(Fix::nearest(mesh.sources, *name, near))
    } else {
        let at = patch.apply_to.map_or(patch.span, |apply_to| apply_to.span);
        findings.add(at, "no proxy has anything that this patch matches")
    };
    finding.help(help);
}

fn asked<'p, 'a>(matches: &'p EnvoyConfigObjectMatch<'a>) -> Vec<&'p Text<'a>> {
    let listener = matches.listener.as_deref();
    let chain = listener.and_then(|listener| listener.filter_chain.as_deref());
    let filter = chain.and_then(|chain| chain.filter.as_deref());
    let routes = matches.route_configuration.as_deref();
    let host = routes.and_then(|routes| routes.vhost.as_deref());
    let names = [
        listener.and_then(|listener| listener.name.as_ref()),
        chain.and_then(|chain| chain.name.as_ref()),
        filter.and_then(|filter| filter.name.as_ref()),
        filter.and_then(|filter| filter.sub_filter.as_ref()?.name.as_ref()),
        listener.and_then(|listener| listener.listener_filter.as_ref()),
        routes.and_then(|routes| routes.name.as_ref()),
        host.and_then(|host| host.name.as_ref()),
        host.and_then(|host| host.route.as_ref()?.name.as_ref()),
        matches.cluster.as_ref().and_then(|cluster| cluster.name.as_ref()),
    ];
    names.into_iter().flatten().filter(|name| !name.is_empty()).collect()
}

/// Every name in the configurations of a few proxies, which stand for the others of their scope.
fn names_of<'m, 'a>(world: &World<'m, 'a>, proxies: &[&Compiled<'_, 'm, 'a>]) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    for compiled in proxies.iter().take(16) {
        if let Ok(json) = serde_json::to_value(world.compile(compiled.proxy).whole()) {
            collect(&json, &mut names);
        }
    }
    names
}

fn collect(json: &serde_json::Value, names: &mut FxHashSet<String>) {
    match json {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(name) if key == "name" && !names.contains(name) => {
                        names.insert(name.to_owned());
                    }
                    _ => collect(value, names),
                }
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|entry| collect(entry, names)),
        _ => {}
    }
}
