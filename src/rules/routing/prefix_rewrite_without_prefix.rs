use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "prefix-rewrite-without-prefix",
    page: include_str!("../../../rules/prefix-rewrite-without-prefix.md"),
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
        let rewrite = route.redirect.as_ref().and_then(|redirect| redirect.prefix_rewrite);
        let Some(rewrite) = rewrite.filter(|rewrite| !rewrite.is_empty()) else {
            continue;
        };
        let paths = route.matches.iter().filter_map(|entry| entry.uri.as_deref());
        for path in paths.filter(|path| path.prefix.is_none()) {
            findings
                .add(path.span, "`prefixRewrite` needs a match by prefix")
                .related(rewrite, "puts this in the place of the prefix")
                .help("istiod's webhook refuses the VirtualService: without a prefix nothing says which part of the path changes; match by `prefix`, or redirect to a `uri`");
        }
    }
}
