use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};
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
    let mut earlier: FxHashMap<u64, SmallVec<[ResourceId; 2]>> =
        FxHashMap::with_capacity_and_hasher(mesh.resources.len(), FxBuildHasher);
    for (id, resource) in (0..).zip(&mesh.resources) {
        let header = &resource.header;
        if header.name.is_empty() || !header.namespace_known || header.renamed || is_placeholder(&header.name) {
            continue;
        }
        let alike = earlier.entry(FxBuildHasher.hash_one(identity(header))).or_default();
        let is_same = |other: &&ResourceId| {
            identity(mesh.header(**other)) == identity(header) && mesh.applied_together(**other, id)
        };
        if let Some(first) = alike.iter().find(is_same) {
            findings
                .add(header.name, format!("{} `{}` is defined twice", header.kind, header.full_name()))
                .related(mesh.header(*first).name, "defined first here")
                .help("applied together, only one of the two stays: the last one, or none where kustomize refuses to build");
        }
        alike.push(id);
    }
}

/// Versions of a kind are one resource; clusters each have their own.
fn identity<'m>(header: &'m Header<'_>) -> (u16, [&'m str; 4]) {
    let names = [header.group(), &header.kind, &header.namespace, &header.name];
    (header.cluster, names)
}
