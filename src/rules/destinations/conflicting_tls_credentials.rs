use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{ClientTlsSettings, DestinationRule};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "conflicting-tls-credentials",
    page: include_str!("../../../rules/conflicting-tls-credentials.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let levels = mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels());
    for tls in levels.filter_map(|level| level.tls) {
        let mode = tls.mode.as_ref().map(Text::as_str);
        if let Some("SIMPLE" | "MUTUAL") = mode {
            judge_name(tls, findings);
            judge_verification(tls, mode == Some("SIMPLE"), findings);
        }
    }
}

/// A credential holds everything: files beside it have no place.
fn judge_name(tls: &ClientTlsSettings<'_>, findings: &mut Findings) {
    let Some(name) = known(tls.credential_name.as_ref()) else {
        return;
    };
    let files = [
        ("clientCertificate", &tls.client_certificate),
        ("privateKey", &tls.private_key),
        ("caCertificates", &tls.ca_certificates),
        ("caCrl", &tls.ca_crl),
    ];
    for (field, file) in files
        .into_iter()
        .filter_map(|(field, file)| Some((field, known(file.as_ref())?)))
    {
        findings
            .add(file, format!("`credentialName` excludes `{field}`"))
            .related(name, "the credential")
            .help("istiod's webhook refuses the rule: certificates come from the credential or from files; keep one");
    }
}

/// Without verification there is nothing to verify with.
fn judge_verification(tls: &ClientTlsSettings<'_>, simple: bool, findings: &mut Findings) {
    let Some(skip) = tls.insecure_skip_verify.as_ref().filter(|skip| skip.value) else {
        return;
    };
    let fields = [
        ("caCertificates", known(tls.ca_certificates.as_ref())),
        ("credentialName", known(tls.credential_name.as_ref()).filter(|_| simple)),
        ("subjectAltNames", tls.subject_alt_names.first()),
    ];
    for (field, value) in fields.into_iter().filter_map(|(field, value)| Some((field, value?))) {
        findings
            .add(value, format!("`insecureSkipVerify` excludes `{field}`"))
            .related(skip, "the server is not verified")
            .help("istiod's webhook refuses the rule: it would be read by nothing; verify the server or leave it out");
    }
}

/// A text that surely says something.
fn known<'t, 'a>(text: Option<&'t Text<'a>>) -> Option<&'t Text<'a>> {
    text.filter(|text| !text.is_empty() && !is_placeholder(text))
}
