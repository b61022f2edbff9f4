use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "service-accounts-with-principals",
    page: include_str!("../../../rules/service-accounts-with-principals.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for source in mesh
        .all::<AuthorizationPolicy<'_>>()
        .flat_map(|policy| policy.body.sources())
    {
        let accounts = source.service_accounts.first().or(source.not_service_accounts.first());
        let others = [
            &source.principals,
            &source.not_principals,
            &source.namespaces,
            &source.not_namespaces,
        ];
        let other = others.into_iter().find_map(|list| list.first());
        if let (Some(account), Some(other)) = (accounts, other) {
            findings
                .add(other, format!("`{other}` stands in one source with service accounts"))
                .related(account, "the service accounts")
                .help("the CRD schema and istiod's webhook refuse it: a service account already says namespace and principal; make it a source of its own");
        }
    }
}
