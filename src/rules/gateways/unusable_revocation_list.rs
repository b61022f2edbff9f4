use super::tls_settings;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unusable-revocation-list",
    page: include_str!("../../../rules/unusable-revocation-list.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, tls) in tls_settings(mesh) {
        let Some(list) = tls.ca_crl.filter(|list| !list.is_empty()) else {
            continue;
        };
        if tls.mode() == "SIMPLE" && !tls.names_credential() {
            findings
                .add(
                    list,
                    "`caCrl` needs clients with certificates, and `SIMPLE` asks for none",
                )
                .help("istiod's webhook refuses it; use `MUTUAL` with `caCertificates`, or leave the list out");
        }
        let credential = tls.credential_name.filter(|name| !name.is_empty());
        if let (true, Some(credential)) = (tls.passes_through(), credential) {
            findings
                .add(list, "`caCrl` cannot stand beside `credentialName`")
                .related(credential, "the credential")
                .help("istiod's webhook refuses it; put the list into the Secret under the key `ca.crl`");
        }
    }
}
