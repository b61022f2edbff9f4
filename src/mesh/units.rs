//! What is applied together, and into which namespace a kustomization puts it.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Dfs;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Mesh, ResourceId};
use crate::model::kustomize::Kustomization;
use crate::model::{Body, Manifests, Text};
use crate::schema::Violation;
use crate::source::{FileId, Sources, Span, Word};

/// What is applied together.
pub type UnitId = u32;

/// The units of a run.
#[derive(Debug, Default)]
pub(super) struct Units<'a> {
    /// By file: the roots that apply it. Empty for a file that no kustomization names.
    of_file: FxHashMap<FileId, Vec<UnitId>>,
    /// Namespaces into which a kustomization puts more than the input shows, or under other names.
    open: Vec<&'a str>,
}

type Graph = DiGraph<Utf8PathBuf, ()>;

/// Follows the kustomizations: takes out files that only change other resources, and gives resources the namespace that
/// the kustomization which applies them sets.
pub(super) fn arrange<'a>(sources: &'a Sources, manifests: &mut Manifests<'a>) -> Units<'a> {
    let mut plan = Plan::default();
    for resource in &manifests.resources {
        if let Body::Kustomization(kustomization) = &resource.body {
            let file = sources.file(resource.header.span);
            let folder = file.path.parent().unwrap_or(Utf8Path::new(""));
            plan.add(folder, kustomization);
        }
    }
    if plan.graph.node_count() == 0 {
        return Units::default();
    }
    let files: FxHashMap<&Utf8Path, FileId> = sources
        .files
        .iter()
        .map(|file| (file.path.as_path(), file.id))
        .collect();
    plan.drop_patches(sources, &files, manifests);
    let units = plan.units(&files);
    plan.set_namespaces(sources, &files, manifests);
    plan.mark_changed(sources, &files, manifests);
    Units {
        open: plan.open(sources, &files, manifests),
        ..units
    }
}

/// Kustomizations as a graph: a folder points to the folders and files it applies.
#[derive(Default)]
struct Plan<'a> {
    graph: Graph,
    nodes: FxHashMap<Utf8PathBuf, NodeIndex>,
    namespaces: FxHashMap<NodeIndex, Text<'a>>,
    patches: FxHashSet<Utf8PathBuf>,
    /// Kustomizations with patches.
    changing: Vec<NodeIndex>,
    /// Kustomizations with a prefix or suffix for names.
    renaming: Vec<NodeIndex>,
    /// Kustomizations that make resources no file shows.
    making: Vec<NodeIndex>,
    /// Folders with a kustomization.
    folders: FxHashSet<NodeIndex>,
}

impl<'a> Plan<'a> {
    fn add(&mut self, folder: &Utf8Path, kustomization: &Kustomization<'a>) {
        let node = self.node(normal(folder));
        if let Some(namespace) = kustomization.namespace {
            self.namespaces.insert(node, namespace);
        }
        self.folders.insert(node);
        self.changing.extend(kustomization.changes().then_some(node));
        self.renaming.extend(kustomization.renames().then_some(node));
        self.making.extend(kustomization.makes().then_some(node));
        for member in kustomization.members() {
            let target = self.node(normal(&folder.join(member.as_str())));
            self.graph.update_edge(node, target, ());
        }
        self.patches.extend(
            kustomization
                .patch_files()
                .map(|patch| normal(&folder.join(patch.as_str()))),
        );
    }

    fn node(&mut self, path: Utf8PathBuf) -> NodeIndex {
        let graph = &mut self.graph;
        *self
            .nodes
            .entry(path)
            .or_insert_with_key(|path| graph.add_node(path.clone()))
    }

    fn drop_patches(&self, sources: &Sources, files: &FxHashMap<&Utf8Path, FileId>, manifests: &mut Manifests<'a>) {
        let ids: FxHashSet<FileId> = self
            .patches
            .iter()
            .filter_map(|path| files.get(path.as_path()).copied())
            .collect();
        let stays = |span: Span| !ids.contains(&sources.file_id(span));
        manifests.resources.retain(|resource| stays(resource.header.span));
        manifests.violations.retain(|violation| stays(violation.span));
        manifests.unknown_kinds.retain(|unknown| stays(unknown.kind.span));
        manifests.directives.retain(|directive| stays(directive.span));
    }

    fn roots(&self) -> impl Iterator<Item = NodeIndex> {
        self.graph.externals(Direction::Incoming)
    }

    fn units(&self, files: &FxHashMap<&Utf8Path, FileId>) -> Units<'a> {
        let mut units = Units::default();
        for (unit, root) in (0..).zip(self.roots()) {
            let mut search = Dfs::new(&self.graph, root);
            while let Some(node) = search.next(&self.graph) {
                if let Some(file) = files.get(self.graph[node].as_path()) {
                    units.of_file.entry(*file).or_default().push(unit);
                }
            }
        }
        units
    }

    /// The namespace that each file's resources get: the outermost kustomization on the way to it that sets one. Where
    /// two ways give different ones, the namespace is not known.
    fn set_namespaces(&self, sources: &Sources, files: &FxHashMap<&Utf8Path, FileId>, manifests: &mut Manifests<'a>) {
        let mut found: FxHashMap<FileId, Vec<Option<Text<'a>>>> = FxHashMap::default();
        for root in self.roots() {
            let mut seen = FxHashSet::default();
            let mut stack = vec![(root, None)];
            while let Some((node, outer)) = stack.pop() {
                let namespace: Option<Text<'a>> = outer.or_else(|| self.namespaces.get(&node).copied());
                if let Some(file) = files.get(self.graph[node].as_path()) {
                    found.entry(*file).or_default().push(namespace);
                }
                if seen.insert((node, namespace.map(|text| text.as_str()))) {
                    stack.extend(self.graph.neighbors(node).map(|next| (next, namespace)));
                }
            }
        }
        for resource in &mut manifests.resources {
            let header = &mut resource.header;
            let Some(all) = found
                .get(&sources.file_id(header.span))
                .filter(|_| !header.namespace.is_empty())
            else {
                continue;
            };
            let mut values: Vec<_> = all.iter().map(|namespace| namespace.map(|text| text.value)).collect();
            values.sort_unstable_by_key(|namespace| namespace.map(Word::as_str));
            values.dedup();
            match values.as_slice() {
                [Some(namespace)] => {
                    header.namespace.value = *namespace;
                    header.namespace_written = true;
                }
                [None] => {}
                _ => header.namespace_known = false,
            }
        }
    }
}

impl<'a> Plan<'a> {
    /// The files that some kustomizations apply.
    fn below(&self, roots: &[NodeIndex], files: &FxHashMap<&Utf8Path, FileId>) -> FxHashSet<FileId> {
        let mut found = FxHashSet::default();
        for root in roots {
            let mut search = Dfs::new(&self.graph, *root);
            while let Some(node) = search.next(&self.graph) {
                found.extend(files.get(self.graph[node].as_path()));
            }
        }
        found
    }

    fn mark_changed(&self, sources: &Sources, files: &FxHashMap<&Utf8Path, FileId>, manifests: &mut Manifests<'a>) {
        let patched = self.below(&self.changing, files);
        let renamed = self.below(&self.renaming, files);
        let stays =
            |violation: &Violation| !violation.kind.is_absence() || !patched.contains(&sources.file_id(violation.span));
        manifests.violations.retain(stays);
        for resource in &mut manifests.resources {
            let file = sources.file_id(resource.header.span);
            resource.header.patched = patched.contains(&file);
            resource.header.renamed = renamed.contains(&file);
        }
    }

    /// Namespaces of kustomizations that make or rename resources, or apply what is not in the input.
    fn open(&self, sources: &Sources, files: &FxHashMap<&Utf8Path, FileId>, manifests: &Manifests<'a>) -> Vec<&'a str> {
        let missing = |node: &NodeIndex| {
            let known =
                |target: NodeIndex| self.folders.contains(&target) || files.contains_key(self.graph[target].as_path());
            self.graph.neighbors(*node).any(|target| !known(target))
        };
        let mut roots: Vec<_> = self.folders.iter().copied().filter(missing).collect();
        roots.extend(self.making.iter().chain(&self.renaming));
        let below = self.below(&roots, files);
        let own = roots
            .iter()
            .filter_map(|root| self.namespaces.get(root))
            .map(Text::as_str);
        let headers = manifests.resources.iter().map(|resource| &resource.header);
        let of_files = headers
            .filter(|header| below.contains(&sources.file_id(header.span)))
            .map(|header| header.namespace.as_str());
        own.chain(of_files).collect()
    }
}

impl<'a> Units<'a> {
    /// Namespaces of which the input does not show all.
    pub(super) fn open(&self) -> impl Iterator<Item = &'a str> {
        self.open.iter().copied()
    }
}

/// A path without `.` and `..`.
fn normal(path: &Utf8Path) -> Utf8PathBuf {
    let mut result = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir if result.file_name().is_some() => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

impl Mesh<'_> {
    /// Whether two resources are applied together: they stand in one file, or one kustomization applies both. The files
    /// of a folder that no kustomization names may as well be alternatives.
    pub fn applied_together(&self, a: ResourceId, b: ResourceId) -> bool {
        let (a, b) = (
            self.sources.file_id(self.header(a).span),
            self.sources.file_id(self.header(b).span),
        );
        let units = |file| self.units.of_file.get(&file);
        a == b
            || units(a)
                .zip(units(b))
                .is_some_and(|(a, b)| a.iter().any(|unit| b.contains(unit)))
    }
}
