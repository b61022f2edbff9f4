use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::{ClientTlsSettings, DestinationRule};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "unused-tls-credentials",
    page: include_str!("../../../rules/unused-tls-credentials.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let rules = mesh.all::<DestinationRule<'_>>().filter(|rule| !rule.header.patched);
    for tls in rules
        .flat_map(|rule| rule.body.policy_levels())
        .filter_map(|level| level.tls)
    {
        let Some((field, value)) = credential(tls) else {
            continue;
        };
        match tls.mode.as_ref().map(Text::as_str) {
            None => findings
                .add(value, format!("there is no mode of TLS, and so no use for `{field}`"))
                .help("the rule is accepted, and connections are not encrypted; set `mode: SIMPLE`, or `MUTUAL`"),
            Some("DISABLE") => findings
                .add(value, format!("mode DISABLE has no use for `{field}`"))
                .help("the rule is accepted, and connections are not encrypted; set `mode: SIMPLE` or `MUTUAL`, or leave the credentials out"),
            Some("ISTIO_MUTUAL") => findings
                .add(value, format!("mode ISTIO_MUTUAL has no use for `{field}`"))
                .help("the rule is accepted, and the certificates of the mesh are used; set `mode: MUTUAL` for your own, or leave them out"),
            Some(_) => continue,
        };
    }
}

/// The first field that says where certificates are.
fn credential<'t, 'a>(tls: &'t ClientTlsSettings<'a>) -> Option<(&'static str, &'t Text<'a>)> {
    let fields = [
        ("credentialName", &tls.credential_name),
        ("clientCertificate", &tls.client_certificate),
        ("privateKey", &tls.private_key),
        ("caCertificates", &tls.ca_certificates),
        ("caCrl", &tls.ca_crl),
    ];
    let given = |text: &&Text<'_>| !text.is_empty() && !is_placeholder(text);
    fields
        .into_iter()
        .find_map(|(field, text)| Some((field, text.as_ref().filter(given)?)))
}
