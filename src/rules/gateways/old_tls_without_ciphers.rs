use super::tls_settings;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "old-tls-without-ciphers",
    page: include_str!("../../../rules/old-tls-without-ciphers.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, tls) in tls_settings(mesh).filter(|(_, tls)| tls.cipher_suites.is_empty()) {
        let oldest = tls.min_protocol_version;
        if let Some(version) = oldest.filter(|version| matches!(version.as_str(), "TLSV1_0" | "TLSV1_1")) {
            findings
                .add(version, format!("`{version}` is allowed, and none of its cipher suites is"))
                .help("the webhook lets it pass with a warning: the default suites need TLS 1.2, so that older clients still fail; name suites in `cipherSuites`, or use `TLSV1_2`");
        }
    }
}
