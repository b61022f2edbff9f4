use super::tls_settings;
use crate::findings::{Findings, Fix, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::schema::nearest;
use crate::values::tls::CIPHER_SUITES;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unknown-cipher-suite",
    page: include_str!("../../../rules/unknown-cipher-suite.md"),
    severity: Severity::Warning,
    fixes: Fixes::Sometimes,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for suite in tls_settings(mesh).flat_map(|(_, tls)| &tls.cipher_suites) {
        let judged = suite.starts_with(|c: char| c.is_ascii_alphanumeric()) && suite.as_str() != "ALL";
        if !judged || is_placeholder(suite) || CIPHER_SUITES.contains(&suite.as_str()) {
            continue;
        }
        let fix = Fix::nearest(mesh.sources, suite.span, nearest(suite, CIPHER_SUITES.into_iter()));
        findings
            .add(suite, format!("there is no cipher suite `{suite}`"))
            .help("the webhook lets it pass with a warning, and istiod leaves the suite out; names are those of OpenSSL, such as `ECDHE-RSA-AES128-GCM-SHA256`, and suites of TLS 1.3 cannot be chosen")
            .fix(fix);
    }
}
