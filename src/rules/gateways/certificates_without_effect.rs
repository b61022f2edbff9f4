use super::tls_settings;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "certificates-without-effect",
    page: include_str!("../../../rules/certificates-without-effect.md"),
    severity: Severity::Warning,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0133"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (_, tls) in tls_settings(mesh).filter(|(_, tls)| tls.passes_through()) {
        let revoked = tls
            .ca_crl
            .filter(|list| !list.is_empty())
            .map(|list| ("caCrl", list.span));
        let mut fields = tls.certificates().chain(revoked);
        let Some((field, at)) = fields.next() else {
            continue;
        };
        let why = match tls.mode {
            Some(mode) => format!("`{field}` has no effect with `{mode}`"),
            None => format!("`{field}` has no effect without a mode, as TLS is then passed through"),
        };
        let finding = findings.add(at, why);
        for (field, span) in fields {
            finding.related(span, format!("neither has `{field}`"));
        }
        finding.help("the webhook lets it pass with a warning: TLS goes on to the backend as it comes; set `mode: SIMPLE` or `MUTUAL` to end it here");
    }
}
