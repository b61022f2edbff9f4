use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::findings::{Findings, Severity};
use crate::mesh::{Mesh, ResourceId};
use crate::model::Header;
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "duplicate-resource",
    page: include_str!("../../../rules/duplicate-resource.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let mut first: FxHashMap<Identity<'_>, SmallVec<[ResourceId; 1]>> = FxHashMap::default();
    for (id, resource) in (0..).zip(&mesh.resources) {
        let header = &resource.header;
        if header.name.is_empty() || !header.namespace_known || header.renamed || is_placeholder(header.name.as_str()) {
            continue;
        }
        let same = first.entry(identity(header)).or_default();
        if let Some(earlier) = same.iter().find(|earlier| mesh.applied_together(**earlier, id)) {
            findings
                .add(header.name, format!("{} `{}` is defined twice", header.kind, header.full_name()))
                .related(mesh.header(*earlier).name, "defined first here")
                .help("applied together, only one of the two stays: the last one, or none where kustomize refuses to build");
        }
        same.push(id);
    }
}

type Identity<'m> = (u16, &'m str, &'m str, &'m str, &'m str);

/// Versions of a kind are one resource; clusters each have their own.
fn identity<'m>(header: &Header<'m>) -> Identity<'m> {
    (
        header.cluster,
        header.group(),
        header.kind.as_str(),
        header.namespace.as_str(),
        header.name.as_str(),
    )
}
