use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Text;
use crate::model::istio::DestinationRule;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "mutual-tls-without-certificate",
    page: include_str!("../../../rules/mutual-tls-without-certificate.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let rules = mesh.all::<DestinationRule<'_>>().filter(|rule| !rule.header.patched);
    for tls in rules
        .flat_map(|rule| rule.body.policy_levels())
        .filter_map(|level| level.tls)
    {
        let mutual = tls.mode.as_ref().is_some_and(|mode| mode.as_str() == "MUTUAL");
        if !mutual || !is_empty(tls.credential_name.as_ref()) {
            continue;
        }
        let (message, field) = match (
            is_empty(tls.client_certificate.as_ref()),
            is_empty(tls.private_key.as_ref()),
        ) {
            (true, true) => ("mode MUTUAL has no certificate of the client", "clientCertificate"),
            (true, false) => ("mode MUTUAL has a key and no `clientCertificate`", "clientCertificate"),
            (false, true) => ("mode MUTUAL has a certificate and no `privateKey`", "privateKey"),
            (false, false) => continue,
        };
        findings
            .add(tls.span, message)
            .missing(field)
            .help("istiod's webhook refuses the rule; set `credentialName`, or both files; certificates of the mesh come with ISTIO_MUTUAL");
    }
}

fn is_empty(text: Option<&Text<'_>>) -> bool {
    text.is_none_or(|text| text.is_empty())
}
