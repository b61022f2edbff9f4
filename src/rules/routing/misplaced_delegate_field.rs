use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, Object};
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "misplaced-delegate-field",
    page: include_str!("../../../rules/misplaced-delegate-field.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        if virtual_service.is_delegate() && !virtual_service.header.patched {
            judge(virtual_service, findings);
        }
    }
}

fn judge(delegate: Object<'_, '_, VirtualService<'_>>, findings: &mut Findings) {
    let mut add = |place: Option<Span>, what: &str, help: &str| {
        if let Some(place) = place {
            findings
                .add(place, format!("a VirtualService without hosts cannot have {what}"))
                .related(delegate.header.name, "has no `hosts`, and so is a delegate")
                .help(format!("istiod's webhook refuses it: {help}"));
        }
    };
    let gateways = delegate.gateways.first().map(|gateway| gateway.span);
    add(
        gateways,
        "gateways",
        "a delegate applies where the route that names it does; drop them, or name the hosts",
    );
    for (place, what) in [
        (delegate.tls.first().map(|route| route.span), "TLS routes"),
        (delegate.tcp.first().map(|route| route.span), "TCP routes"),
    ] {
        add(
            place,
            what,
            "only HTTP routes can be left to a delegate; drop them, or name the hosts",
        );
    }
    for next in delegate.http.iter().filter_map(|route| route.delegate.as_ref()) {
        add(
            Some(next.span),
            "a delegate of its own",
            "delegation goes one step far; name this delegate in the root",
        );
    }
}
