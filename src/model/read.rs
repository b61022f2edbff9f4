//! All files to all resources, one file at a time and the files in parallel.

use std::sync::Arc;

use memchr::memmem;
use rayon::prelude::*;

use super::kustomize;
use super::mesh_config;
use super::template::{self, Template};
use super::{Body, Fields, Header, Labels, Resource, Spanned, Text};
use crate::schema::{self, Definitions, Known, Missing, Violation};
use crate::source::{Interner, SourceFile, Sources, Span, Word, Words};
use crate::values::minor::Minor;
use crate::yaml::{self, Document, Node, Problem};

/// What the user said about documents that do not say it themselves.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The namespace of documents without one; `default` is assumed where the user names none.
    pub namespace: Option<String>,
    /// Definitions of kinds that the user gave; those of the input come after them.
    pub definitions: Arc<Definitions>,
    /// The minor of Istio that the manifests are for; the newest where the user names none.
    pub istio_version: Option<Minor>,
}

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Manifests<'a> {
    /// The objects in the order of files and text.
    pub resources: Vec<Resource<'a>>,
    /// Faults of the text.
    pub problems: Vec<Problem>,
    /// Faults of the structure.
    pub violations: Vec<Violation>,
    /// Kinds and versions that do not exist.
    pub unknown_kinds: Vec<UnknownKind<'a>>,
    /// Comments that are meant for meshlint.
    pub directives: Vec<Directive<'a>>,
    /// Files that were left because a tool has to render them first.
    pub templates: Vec<Template>,
    /// How many documents with content there were, of any tool.
    pub documents: usize,
}

/// A kind or a version of a known group that does not exist.
#[derive(Debug)]
pub struct UnknownKind<'a> {
    /// `apiVersion`.
    pub api_version: Text<'a>,
    /// `kind`.
    pub kind: Text<'a>,
    /// What is missing.
    pub missing: Missing,
}

/// A comment that begins with `meshlint:`.
#[derive(Clone, Copy, Debug)]
pub struct Directive<'a> {
    /// The whole comment.
    pub span: Span,
    /// What follows `meshlint:`.
    pub text: Word<'a>,
    /// Nothing but blanks stands before it on its line.
    pub alone: bool,
}

/// How many files are read before their resources are put with the others: what is held twice stays small.
const BATCH: usize = 512;

/// Reads all files. Trees do not outlive the reading of their file, and texts of files on the disk are let go.
pub fn read<'a>(sources: &mut Sources, words: &'a Words, options: &ReadOptions) -> Manifests<'a> {
    let words = Interner::new(words);
    let mut all = Manifests::default();
    let definitions = definitions(sources);
    for batch in sources.files.chunks_mut(BATCH) {
        let parts: Vec<_> = batch
            .par_iter_mut()
            .map(|file| {
                let read = read_file(file, &words, options, &definitions);
                file.release();
                read
            })
            .collect();
        parts.into_iter().for_each(|part| all.take(part));
    }
    all
}

impl<'a> Manifests<'a> {
    fn take(&mut self, part: Manifests<'a>) {
        self.resources.extend(part.resources);
        self.problems.extend(part.problems);
        self.violations.extend(part.violations);
        self.unknown_kinds.extend(part.unknown_kinds);
        self.directives.extend(part.directives);
        self.templates.extend(part.templates);
        self.documents += part.documents;
    }
}

fn read_file<'a>(
    file: &SourceFile,
    words: &Interner<'a>,
    options: &ReadOptions,
    definitions: &Definitions,
) -> Manifests<'a> {
    let mut out = Manifests::default();
    let minor = options.istio_version.unwrap_or(Minor::NEWEST);
    if let Some(kind) = file.configuration {
        mesh_config::check(file, kind, minor, &mut out.violations);
        return out;
    }
    if let Some(template) = template::by_name(file) {
        out.templates.push(template);
        return out;
    }
    let documents = yaml::parse(file);
    if let Some(template) = template::by_failure(file, &documents) {
        out.templates.push(template);
        return out;
    }
    let mut reader = Reader {
        file,
        words,
        options,
        definitions,
        out,
    };
    for document in &documents {
        reader.document(document);
    }
    reader.out
}

struct Reader<'t, 'a> {
    file: &'t SourceFile,
    words: &'t Interner<'a>,
    options: &'t ReadOptions,
    definitions: &'t Definitions,
    out: Manifests<'a>,
}

impl<'t, 'a> Reader<'t, 'a> {
    fn document(&mut self, document: &'t Document<'t>) {
        self.directives(document);
        let root = document.tree.root();
        self.out.documents += usize::from(root.is_some());
        if !document.is_readable() {
            self.unreadable(document);
            return;
        }
        let Some(root) = root else { return };
        let before = self.out.resources.len();
        self.object(root);
        if self.out.resources.len() > before {
            self.out.problems.extend(document.problems.iter().cloned());
        }
    }

    /// A broken document is reported where it is ours: it says that it is a manifest, or the user named the file.
    fn unreadable(&mut self, document: &'t Document<'t>) {
        let text = self.file.slice(document.span);
        let says_so = ["apiVersion", "kind"].into_iter().any(|key| has_key(text, key));
        if !says_so && !self.file.named {
            return;
        }
        self.out.problems.extend(document.problems.iter().cloned());
        if let Some(header) = document.tree.root().and_then(|root| self.header(root)) {
            self.out.resources.push(Resource {
                header,
                body: Body::Unreadable,
            });
        }
    }

    fn directives(&mut self, document: &Document<'_>) {
        for comment in document.tree.comments() {
            let text = self.file.slice(comment.span).trim_start_matches('#').trim();
            if let Some(text) = text.strip_prefix("meshlint:") {
                let before = &self.file.text()[..self.file.range(comment.span).start];
                let alone = before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty();
                self.out.directives.push(Directive {
                    span: comment.span,
                    text: self.words.word(text.trim()),
                    alone,
                });
            }
        }
    }

    fn object(&mut self, root: Node<'t, 't>) {
        let fields = Fields::new(root, self.words);
        if self.file.path.file_name().is_some_and(kustomize::is_kustomization) {
            self.kustomization(fields);
            return;
        }
        if fields.text("kind").is_some_and(|kind| kind.ends_with("List"))
            && let Some(items) = fields.node("items").filter(|items| items.is_sequence())
        {
            items.items().for_each(|item| self.object(item));
            return;
        }
        let Some(mut header) = self.header(root) else { return };
        let body = self.body(&mut header, root);
        self.out.resources.push(Resource { header, body });
    }

    fn kustomization(&mut self, fields: Fields<'t, 'a>) {
        let (body, kind) = kustomize::decode(fields);
        let name = Spanned {
            value: self.words.word(""),
            span: kind.span,
        };
        let api_version = fields.text("apiVersion").unwrap_or(name);
        let header = self.bare_header(fields, api_version, kind, name);
        self.out.resources.push(Resource {
            header,
            body: Body::Kustomization(Box::new(body)),
        });
    }

    fn body(&mut self, header: &mut Header<'a>, root: Node<'t, 't>) -> Body<'a> {
        let (api_version, kind) = (header.api_version, header.kind);
        let definitions = [&*self.options.definitions, self.definitions];
        match schema::lookup(definitions, api_version.as_str(), kind.as_str()) {
            Known::Kind(schema) => {
                if !schema.namespaced {
                    header.namespace.value = self.words.word("");
                }
                let minor = self.options.istio_version.unwrap_or(Minor::NEWEST);
                schema.check(root, minor, &mut self.out.violations);
            }
            Known::Foreign => {}
            Known::Missing(missing) => {
                self.out.unknown_kinds.push(UnknownKind {
                    api_version,
                    kind,
                    missing,
                });
            }
        }
        if (api_version.as_str(), kind.as_str()) == ("v1", "ConfigMap")
            && mesh_config::revision_of(&header.name).is_some()
        {
            self.mesh_configuration(root);
        }
        Body::decode(header.group(), kind.as_str(), Fields::new(root, self.words))
    }

    /// Checks the settings of the mesh that a ConfigMap of istiod holds.
    fn mesh_configuration(&mut self, map: Node<'t, 't>) {
        let minor = self.options.istio_version.unwrap_or(Minor::NEWEST);
        for (key, kind) in [("mesh", "MeshConfig"), ("meshNetworks", "MeshNetworks")] {
            let block = map.get("data").and_then(|data| data.get(key));
            if let Some(file) = block.and_then(|block| mesh_config::embedded(self.file, block.span())) {
                mesh_config::check(&file, kind, minor, &mut self.out.violations);
            }
        }
    }

    fn header(&self, root: Node<'t, 't>) -> Option<Header<'a>> {
        let fields = Fields::new(root, self.words);
        let (api_version, kind) = (fields.text("apiVersion")?, fields.text("kind")?);
        let metadata = fields.node("metadata").map(|node| fields.at(node));
        let name = metadata.and_then(|metadata| metadata.text("name"));
        let name = name.unwrap_or(Spanned {
            value: self.words.word(""),
            span: kind.span,
        });
        let mut header = self.bare_header(fields, api_version, kind, name);
        if let Some(metadata) = metadata {
            if let Some(namespace) = metadata.text("namespace").filter(|namespace| !namespace.is_empty()) {
                header.namespace = namespace;
                header.namespace_written = true;
                header.namespace_known = !yaml::is_placeholder(&namespace);
            }
            header.labels = metadata.labels("labels");
            header.annotations = metadata.labels("annotations");
            header.created = metadata.text("creationTimestamp");
        }
        Some(header)
    }

    fn bare_header(&self, fields: Fields<'t, 'a>, api_version: Text<'a>, kind: Text<'a>, name: Text<'a>) -> Header<'a> {
        let namespace = Spanned {
            value: self.words.word(self.options.namespace.as_deref().unwrap_or("default")),
            span: kind.span,
        };
        Header {
            span: fields.span(),
            api_version,
            kind,
            name,
            namespace,
            namespace_known: true,
            namespace_written: self.options.namespace.is_some(),
            patched: false,
            renamed: false,
            labels: Labels::default(),
            annotations: Labels::default(),
            created: None,
            cluster: self.file.cluster,
        }
    }
}

/// Whether a line begins with this key, as in YAML or in JSON.
fn has_key(text: &str, key: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start_matches(['{', ' ', '"']);
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(':'))
    })
}

/// The CustomResourceDefinitions among the files: their kinds are checked as they say.
pub fn definitions(sources: &Sources) -> Definitions {
    let finder = memmem::Finder::new("CustomResourceDefinition");
    let found: Vec<_> = sources
        .files
        .par_iter()
        .filter(|file| finder.find(file.text().as_bytes()).is_some())
        .flat_map_iter(definitions_in)
        .collect();
    let mut definitions = Definitions::default();
    found.iter().for_each(|definition| definitions.add(definition));
    definitions
}

fn definitions_in(file: &SourceFile) -> Vec<serde_json::Value> {
    let mut found = Vec::new();
    let documents = yaml::parse(file);
    if template::by_name(file).is_some() || template::by_failure(file, &documents).is_some() {
        return found;
    }
    let readable = documents.iter().filter(|document| document.is_readable());
    for root in readable.filter_map(|document| document.tree.root()) {
        let items = root.get("items").into_iter().flat_map(Node::items);
        found.extend([root].into_iter().chain(items).filter_map(schema::read_definition));
    }
    found
}

/// The mesh configuration that stands inside the ConfigMaps `istio` and `istio-<revision>`, as files of its own. Their
/// paths are those of the ConfigMaps, their texts the key `mesh`.
pub fn embed(sources: &Sources, manifests: &Manifests<'_>) -> Vec<(String, SourceFile)> {
    let mut found = Vec::new();
    for Resource { header, body } in &manifests.resources {
        if let (Some(revision), Body::ConfigMap(map)) = (mesh_config::revision_of(&header.name), body)
            && let Some(mesh) = map.data.get("mesh")
        {
            let path = sources.file(header.span).path.clone();
            let file = SourceFile::new(path, mesh.as_bytes().to_vec(), true, header.cluster);
            found.push((revision.to_owned(), file));
        }
    }
    found
}
