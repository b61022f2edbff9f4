use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Spanned;
use crate::model::istio::{HttpRouteDestination, RouteDestination, VirtualService};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "zero-weights",
    page: include_str!("../../../rules/zero-weights.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        for route in &virtual_service.body.http {
            judge(route.route.iter().map(Share::from), findings);
        }
        let tls = virtual_service.tls.iter().map(|route| &route.route);
        let tcp = virtual_service.tcp.iter().map(|route| &route.route);
        for route in tls.chain(tcp) {
            judge(route.iter().map(Share::from), findings);
        }
    }
}

fn judge(mut shares: impl ExactSizeIterator<Item = Share>, findings: &mut Findings) {
    if shares.len() < 2 {
        return;
    }
    let Some(first) = shares.next() else {
        return;
    };
    if !first.is_zero() || !shares.all(|share| share.is_zero()) {
        return;
    }
    let finding = match first.weight {
        Some(weight) => findings.add(weight, "the weights of these destinations add up to 0"),
        None => findings
            .add(first.span, "several destinations, and none has a weight")
            .missing("weight"),
    };
    finding.help("istiod's webhook refuses the VirtualService: a destination without `weight` gets nothing beside others; give at least one of them a share");
}

struct Share {
    span: Span,
    weight: Option<Spanned<i64>>,
    lacks_weight: bool,
}

impl Share {
    fn is_zero(&self) -> bool {
        self.weight.map_or(self.lacks_weight, |weight| weight.value == 0)
    }
}

impl From<&HttpRouteDestination<'_>> for Share {
    fn from(destination: &HttpRouteDestination<'_>) -> Self {
        Self {
            span: destination.span,
            weight: destination.weight,
            lacks_weight: destination.lacks_weight,
        }
    }
}

impl From<&RouteDestination<'_>> for Share {
    fn from(destination: &RouteDestination<'_>) -> Self {
        Self {
            span: destination.span,
            weight: destination.weight,
            lacks_weight: destination.lacks_weight,
        }
    }
}
