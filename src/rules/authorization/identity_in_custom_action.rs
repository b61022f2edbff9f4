use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{Action, AuthorizationPolicy, Source};
use crate::rules::{Check, Fixes, Rule};
use crate::values::policy::attribute;

pub const RULE: Rule = Rule {
    id: "identity-in-custom-action",
    page: include_str!("../../../rules/identity-in-custom-action.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for policy in mesh.all::<AuthorizationPolicy<'_>>() {
        if policy.action() != Some(Action::Custom) {
            continue;
        }
        for (field, identity) in policy.sources().flat_map(identities) {
            report(field, identity, findings);
        }
        let keys = policy.conditions().filter_map(|condition| condition.key.as_ref());
        for key in keys.filter(|key| is_identity(key)) {
            report(key, key, findings);
        }
    }
}

fn report(name: &str, at: &Text<'_>, findings: &mut Findings) {
    findings
        .add(at, format!("a CUSTOM policy cannot match on `{name}`"))
        .help("istiod's webhook refuses it; match on addresses, hosts, ports, methods, paths or headers, and leave identities to the authorizer or to an ALLOW or DENY policy beside");
}

/// The lists of identities, each by its name and its first entry.
fn identities<'p, 'a>(source: &'p Source<'a>) -> impl Iterator<Item = (&'static str, &'p Text<'a>)> {
    let lists = [
        ("namespaces", &source.namespaces),
        ("notNamespaces", &source.not_namespaces),
        ("serviceAccounts", &source.service_accounts),
        ("notServiceAccounts", &source.not_service_accounts),
        ("trustDomains", &source.trust_domains),
        ("notTrustDomains", &source.not_trust_domains),
        ("principals", &source.principals),
        ("notPrincipals", &source.not_principals),
        ("requestPrincipals", &source.request_principals),
        ("notRequestPrincipals", &source.not_request_principals),
    ];
    lists
        .into_iter()
        .filter_map(|(field, list)| Some((field, list.first()?)))
}

fn is_identity(key: &str) -> bool {
    let of_source = [
        "source.namespace",
        "source.serviceAccount",
        "source.trustDomain",
        "source.principal",
    ];
    of_source.contains(&key) || key.starts_with("request.auth.") && attribute(key).is_ok()
}
