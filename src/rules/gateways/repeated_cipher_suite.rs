use rustc_hash::FxHashMap;

use super::tls_settings;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};
use crate::values::tls::CIPHER_SUITES;

pub const RULE: Rule = Rule {
    id: "repeated-cipher-suite",
    page: include_str!("../../../rules/repeated-cipher-suite.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, tls) in tls_settings(mesh) {
        let mut seen = FxHashMap::default();
        let known = tls.cipher_suites.iter();
        for suite in known.filter(|suite| CIPHER_SUITES.contains(&suite.as_str())) {
            if let Some(earlier) = seen.insert(suite.as_str(), suite) {
                findings
                    .add(suite, format!("`{suite}` is listed twice"))
                    .related(earlier, "the first one")
                    .help("the webhook lets it pass with a warning; was another suite meant?");
            }
        }
    }
}
