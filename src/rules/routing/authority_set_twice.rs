use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{HttpRoute, VirtualService};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "authority-set-twice",
    page: include_str!("../../../rules/authority-set-twice.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let routes = mesh
        .all::<VirtualService<'_>>()
        .flat_map(|virtual_service| &virtual_service.body.http);
    for route in routes {
        let mut places = authorities(route);
        let Some(first) = places.next() else {
            continue;
        };
        for place in places {
            findings
                .add(place, "the authority of the request is set more than once")
                .related(first, "set here as well")
                .help("istiod's webhook refuses the VirtualService; set it once, in `rewrite.authority` or as header `host` or `:authority`");
        }
    }
}

fn authorities<'r, 'a>(route: &'r HttpRoute<'a>) -> impl Iterator<Item = &'r Text<'a>> {
    let rewrite = route.rewrite.as_ref().and_then(|rewrite| rewrite.authority.as_ref());
    let request = route.headers.as_ref().and_then(|headers| headers.request.as_ref());
    let headers = request
        .into_iter()
        .flat_map(|request| request.set.spanned().iter().chain(request.add.spanned()));
    let names = headers
        .filter(|(name, _)| name.eq_ignore_ascii_case("host") || name.eq_ignore_ascii_case(":authority"))
        .map(|(_, value)| value);
    rewrite
        .filter(|authority| !authority.is_empty())
        .into_iter()
        .chain(names)
}
