use super::tls_settings;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::ServerTlsSettings;
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "conflicting-certificates",
    page: include_str!("../../../rules/conflicting-certificates.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, tls) in tls_settings(mesh).filter(|(_, tls)| tls.mode() != "ISTIO_MUTUAL") {
        let mut sources = sources(tls);
        let Some((first, span)) = sources.next() else {
            continue;
        };
        for (field, other) in sources {
            findings
                .add(other, format!("`{field}` gives a certificate, and so does `{first}`"))
                .related(span, "the other certificate")
                .help("istiod's webhook or the API server refuses it; keep one of `credentialName`, `credentialNames`, `tlsCertificates`, or `serverCertificate` with `privateKey`");
        }
    }
}

/// The places of each way in which a certificate is given.
fn sources(tls: &ServerTlsSettings<'_>) -> impl Iterator<Item = (&'static str, Span)> {
    let known = |text: &Text<'_>| !text.is_empty() && !is_placeholder(text);
    let certificate = tls.server_certificate.filter(known);
    let pair = certificate.filter(|_| tls.private_key.as_ref().is_some_and(known));
    let credential = tls.credential_name.filter(known);
    let sources = [
        ("serverCertificate", pair.map(|it| it.span)),
        ("credentialName", credential.map(|it| it.span)),
        ("credentialNames", tls.credential_names.first().map(|it| it.span)),
        ("tlsCertificates", tls.tls_certificates.first().map(|it| it.span)),
    ];
    sources.into_iter().filter_map(|(field, span)| Some((field, span?)))
}
