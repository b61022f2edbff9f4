use super::tls_settings;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "certificates-with-istio-mutual",
    page: include_str!("../../../rules/certificates-with-istio-mutual.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, tls) in tls_settings(mesh).filter(|(_, tls)| tls.mode() == "ISTIO_MUTUAL") {
        let mut fields = tls.certificates();
        let Some((field, at)) = fields.next() else {
            continue;
        };
        let finding = findings.add(at, format!("with `ISTIO_MUTUAL` there can be no `{field}`"));
        for (field, span) in fields {
            finding.related(span, format!("nor `{field}`"));
        }
        finding.help("istiod's webhook refuses it: the certificates are those that Istio gives the proxy; use `MUTUAL` for your own");
    }
}
