use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{EnvoyConfigObjectMatch, EnvoyFilter};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "match-of-another-kind",
    page: include_str!("../../../rules/match-of-another-kind.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for patch in mesh
        .all::<EnvoyFilter<'_>>()
        .flat_map(|filter| &filter.body.config_patches)
    {
        let Some(matches) = &patch.matches else { continue };
        match &matches.context {
            Some(context) if is_placeholder(context) => {}
            Some(context) if context.as_str() == "WAYPOINT" => needs_waypoint(context, matches, findings),
            _ => needs_object(patch.apply_to.as_ref(), matches, findings),
        }
    }
}

fn needs_waypoint(context: &Text<'_>, matches: &EnvoyConfigObjectMatch<'_>, findings: &mut Findings) {
    if matches.waypoint.is_none() {
        findings
            .add(
                context,
                "the context WAYPOINT goes with a `waypoint` match, and there is none",
            )
            .help("the CRD schema refuses the EnvoyFilter; `waypoint: {}` matches the whole waypoint");
    }
}

fn needs_object(apply_to: Option<&Text<'_>>, matches: &EnvoyConfigObjectMatch<'_>, findings: &mut Findings) {
    if let Some(waypoint) = &matches.waypoint {
        findings
            .add(waypoint.span, "a `waypoint` match goes with the context WAYPOINT")
            .help("the CRD schema refuses the EnvoyFilter; set `context: WAYPOINT` beside it");
    }
    let Some((apply_to, wanted)) = apply_to.and_then(|kind| Some((kind, object_of(kind)?))) else {
        return;
    };
    let given = [
        ("listener", matches.listener.as_ref().map(|listener| listener.span)),
        (
            "routeConfiguration",
            matches.route_configuration.as_ref().map(|routes| routes.span),
        ),
        ("cluster", matches.cluster.as_ref().map(|cluster| cluster.span)),
    ];
    for (name, span) in given {
        if let Some(span) = span.filter(|_| name != wanted) {
            findings
                .add(span, format!("a patch of {apply_to} cannot match on `{name}`"))
                .related(apply_to, "what is patched")
                .help(format!("istiod's webhook refuses the EnvoyFilter; match on `{wanted}`, or on the context and the proxy alone"));
        }
    }
}

/// The match that goes with what is patched.
fn object_of(apply_to: &str) -> Option<&'static str> {
    match apply_to {
        "LISTENER" | "FILTER_CHAIN" | "NETWORK_FILTER" | "HTTP_FILTER" => Some("listener"),
        "ROUTE_CONFIGURATION" | "VIRTUAL_HOST" | "HTTP_ROUTE" => Some("routeConfiguration"),
        "CLUSTER" => Some("cluster"),
        _ => None,
    }
}
