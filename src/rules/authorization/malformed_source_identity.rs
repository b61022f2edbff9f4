use super::judge;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::AuthorizationPolicy;
use crate::rules::{Check, Fixes, Rule};
use crate::values::policy::Form;

pub const RULE: Rule = Rule {
    id: "malformed-source-identity",
    page: include_str!("../../../rules/malformed-source-identity.md"),
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
        let accounts = [&source.service_accounts, &source.not_service_accounts];
        let domains = [&source.trust_domains, &source.not_trust_domains];
        accounts
            .into_iter()
            .for_each(|list| judge(list, Form::ServiceAccount, "service account", findings));
        domains
            .into_iter()
            .for_each(|list| judge(list, Form::TrustDomain, "trust domain", findings));
    }
}
