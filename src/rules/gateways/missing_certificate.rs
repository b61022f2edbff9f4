use super::tls_settings;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "missing-certificate",
    page: include_str!("../../../rules/missing-certificate.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (header, tls) in tls_settings(mesh) {
        let ends = matches!(tls.mode(), "SIMPLE" | "MUTUAL" | "OPTIONAL_MUTUAL");
        if !ends || tls.names_credential() || header.patched {
            continue;
        }
        let clients = ("caCertificates", &tls.ca_certificates);
        let own = [
            ("serverCertificate", &tls.server_certificate),
            ("privateKey", &tls.private_key),
        ];
        let own = own.into_iter().filter(|_| tls.tls_certificates.is_empty());
        let clients = (tls.mode() != "SIMPLE").then_some(clients);
        report(tls.mode(), tls.span, own.chain(clients), findings);
        for files in &tls.tls_certificates {
            let own = [
                ("serverCertificate", &files.server_certificate),
                ("privateKey", &files.private_key),
            ];
            report(tls.mode(), files.span, own.into_iter(), findings);
        }
    }
}

type Field<'r, 'a> = (&'static str, &'r Option<Text<'a>>);

fn report<'r, 'a: 'r>(mode: &str, at: Span, fields: impl Iterator<Item = Field<'r, 'a>>, findings: &mut Findings) {
    let missing: Vec<_> = fields
        .filter(|(_, text)| text.as_ref().is_none_or(|text| text.is_empty()))
        .map(|(field, _)| field)
        .collect();
    if let Some(first) = missing.first() {
        let names = missing.join("` and `");
        findings
            .add(at, format!("TLS of mode `{mode}` lacks `{names}`"))
            .missing(*first)
            .help("istiod's webhook refuses it; name the files, or on a Gateway the Secret in `credentialName`");
    }
}
