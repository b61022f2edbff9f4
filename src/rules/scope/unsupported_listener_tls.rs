use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::{ServerTlsSettings, Sidecar};
use crate::rules::{Check, Fixes, Rule};
use crate::source::Span;

pub const RULE: Rule = Rule {
    id: "unsupported-listener-tls",
    page: include_str!("../../../rules/unsupported-listener-tls.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for sidecar in mesh.all::<Sidecar<'_>>() {
        for tls in sidecar.ingress.iter().filter_map(|listener| listener.tls.as_ref()) {
            for (what, at) in unsupported(tls) {
                findings
                    .add(at, format!("a Sidecar's listener cannot have {what}"))
                    .help("istiod's webhook refuses the Sidecar; its listeners end TLS with `SIMPLE`, `MUTUAL` or `OPTIONAL_MUTUAL` and with certificates from files");
            }
        }
    }
}

fn unsupported(tls: &ServerTlsSettings<'_>) -> impl Iterator<Item = (String, Span)> {
    let mode = tls
        .mode
        .filter(|mode| matches!(mode.as_str(), "ISTIO_MUTUAL" | "AUTO_PASSTHROUGH"));
    let mode = mode.map(|mode| (format!("TLS of mode `{mode}`"), mode.span));
    let redirect = tls.https_redirect.filter(|redirect| redirect.value);
    let fields = [
        ("`httpsRedirect`", redirect.map(|it| it.span)),
        ("`subjectAltNames`", tls.subject_alt_names.first().map(|it| it.span)),
    ];
    let fields = fields
        .into_iter()
        .filter_map(|(what, span)| Some((what.to_owned(), span?)));
    let stored = tls
        .certificates()
        .filter(|(field, _)| matches!(*field, "credentialName" | "credentialNames" | "tlsCertificates"))
        .map(|(field, span)| (format!("`{field}`"), span));
    mode.into_iter().chain(fields).chain(stored)
}
