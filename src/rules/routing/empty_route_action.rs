use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{HttpRedirect, HttpRewrite, HttpRoute, VirtualService};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "empty-route-action",
    page: include_str!("../../../rules/empty-route-action.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        if virtual_service.header.patched {
            continue;
        }
        for route in &virtual_service.body.http {
            for (place, field, choices) in empty(route) {
                findings.add(place, format!("this {field} says nothing")).help(format!(
                    "istiod's webhook refuses the VirtualService; {choices}, or drop `{field}`"
                ));
            }
        }
    }
}

fn empty(route: &HttpRoute<'_>) -> impl Iterator<Item = (Span, &'static str, &'static str)> {
    let redirect = route.redirect.as_deref().filter(|redirect| is_empty_redirect(redirect));
    let rewrite = route.rewrite.as_deref().filter(|rewrite| is_empty_rewrite(rewrite));
    let fault = route.fault.as_deref().filter(|fault| fault.lacks_faults);
    [
        redirect.map(|redirect| {
            (
                redirect.span,
                "redirect",
                "say where to, in `uri`, `authority`, `port` or `scheme`",
            )
        }),
        rewrite.map(|rewrite| (rewrite.span, "rewrite", "set `uri`, `uriRegexRewrite` or `authority`")),
        fault.map(|fault| (fault.span, "fault", "set `delay` or `abort`")),
    ]
    .into_iter()
    .flatten()
}

fn is_empty_redirect(redirect: &HttpRedirect<'_>) -> bool {
    let texts = [
        redirect.uri,
        redirect.prefix_rewrite,
        redirect.authority,
        redirect.scheme,
    ];
    texts.into_iter().all(is_unset) && redirect.lacks_port
}

fn is_empty_rewrite(rewrite: &HttpRewrite<'_>) -> bool {
    is_unset(rewrite.uri) && is_unset(rewrite.authority) && rewrite.lacks_regex
}

fn is_unset(text: Option<Text<'_>>) -> bool {
    text.is_none_or(|text| text.is_empty())
}
