use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{HttpRoute, VirtualService};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "conflicting-route-actions",
    page: include_str!("../../../rules/conflicting-route-actions.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for route in &virtual_service.body.http {
            let delegates = route.delegate.is_some() && !virtual_service.is_delegate();
            for (one, other, help) in if delegates { DELEGATION } else { ACTIONS } {
                if let (Some(place), Some(at)) = (find(route, one), find(route, other)) {
                    findings
                        .add(at, format!("`{other}` and `{one}` exclude each other"))
                        .related(place, format!("`{one}`"))
                        .help(format!("istiod's webhook refuses the VirtualService: {help}"));
                }
            }
        }
    }
}

const DELEGATION: &[(&str, &str, &str)] = &[("delegate", "redirect", PASSED_ON), ("delegate", "route", PASSED_ON)];

const ACTIONS: &[(&str, &str, &str)] = &[
    ("redirect", "route", ANSWERED),
    ("redirect", "directResponse", ANSWERED),
    ("redirect", "rewrite", ANSWERED),
    ("redirect", "fault", ANSWERED),
    ("directResponse", "route", ANSWERED),
    ("directResponse", "rewrite", ANSWERED),
    ("directResponse", "fault", ANSWERED),
    (
        "mirrors",
        "mirror",
        "`mirror` is the older form; name its destination in `mirrors`",
    ),
    ("redirect.uri", "redirect.prefixRewrite", ONE_PATH),
    ("rewrite.uri", "rewrite.uriRegexRewrite", ONE_PATH),
];

const PASSED_ON: &str = "a route with a delegate leaves the destination to it; keep one of the two";

const ANSWERED: &str = "the proxy either answers a request or sends it on; keep one, or make two routes of it";

const ONE_PATH: &str = "the path can change in one way only; keep one of the two";

fn find(route: &HttpRoute<'_>, field: &str) -> Option<Span> {
    let redirect = route.redirect.as_deref();
    let rewrite = route.rewrite.as_deref();
    match field {
        "delegate" => route.delegate.as_ref().map(|delegate| delegate.span),
        "route" => route.route.first().map(|route| route.span),
        "redirect" => redirect.map(|redirect| redirect.span),
        "directResponse" => route.direct_response.as_ref().map(|response| response.span),
        "rewrite" => rewrite.map(|rewrite| rewrite.span),
        "fault" => route.fault.as_ref().map(|fault| fault.span),
        "mirror" => route.mirror.as_ref().map(|mirror| mirror.span),
        "mirrors" => route.mirrors.first().map(|mirror| mirror.span),
        "redirect.uri" => written(redirect?.uri),
        "redirect.prefixRewrite" => written(redirect?.prefix_rewrite),
        "rewrite.uri" => written(rewrite?.uri),
        "rewrite.uriRegexRewrite" => rewrite?.uri_regex_rewrite.as_ref().map(|regex| regex.span),
        _ => None,
    }
}

fn written(text: Option<Text<'_>>) -> Option<Span> {
    text.filter(|text| !text.is_empty()).map(|text| text.span)
}
