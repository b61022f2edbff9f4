use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::{Header, Text};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "repeated-export",
    page: include_str!("../../../rules/repeated-export.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for (header, entries) in mesh.export_lists() {
        for (index, entry) in entries.iter().enumerate() {
            let first = entries
                .iter()
                .take(index)
                .find(|first| namespace(first, header) == namespace(entry, header));
            if let Some(first) = first {
                let message = if first.as_str() == entry.as_str() {
                    format!("`{entry}` stands in `exportTo` twice")
                } else {
                    format!("`{first}` and `{entry}` are the same namespace")
                };
                findings
                    .add(entry, message)
                    .related(first, "the first of the two")
                    .help("istiod's webhook refuses the resource; drop one of the two");
            }
        }
    }
}

/// The namespace of an entry. One that is only assumed may be any other.
fn namespace<'a>(entry: &Text<'a>, header: &Header<'a>) -> &'a str {
    let known = header.namespace_known && header.namespace_written;
    if entry.as_str() == "." && known {
        header.namespace.as_str()
    } else {
        entry.as_str()
    }
}
