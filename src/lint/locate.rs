//! Findings to the resource and the field they are about. Trees are gone by then: the few files that have findings are
//! parsed again.

use std::fmt::Write;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::Reported;
use crate::findings::Finding;
use crate::mesh::Mesh;
use crate::model::Header;
use crate::source::{FileId, SourceFile, Span};
use crate::yaml::{self, Document, Node};

/// What names an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceName {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// Empty for kinds that live in no namespace.
    pub namespace: String,
    /// `metadata.name`.
    pub name: String,
}

/// Names resources and fields, sorts by place and gives fingerprints.
pub fn locate(mesh: &Mesh<'_>, findings: Vec<Finding>) -> Vec<Reported> {
    let mut by_file: FxHashMap<Option<FileId>, Vec<Finding>> = FxHashMap::default();
    for finding in findings {
        let file = mesh.sources.find(finding.span).map(|file| file.id);
        by_file.entry(file).or_default().push(finding);
    }
    let files: Vec<_> = by_file.into_iter().collect();
    let mut reported: Vec<Reported> = files
        .into_par_iter()
        .flat_map_iter(|(file, findings)| match file {
            Some(file) => in_file(mesh, &mesh.sources.files[file as usize], findings),
            None => findings.into_iter().map(Reported::nowhere).collect(),
        })
        .collect();
    reported.sort_by(|a, b| order(a).cmp(&order(b)));
    reported.dedup_by(|later, first| later.finding == first.finding);
    number(mesh, &mut reported);
    reported
}

fn order(reported: &Reported) -> (Span, &str, &str) {
    (reported.finding.span, reported.finding.rule, &reported.finding.message)
}

fn in_file(mesh: &Mesh<'_>, file: &SourceFile, findings: Vec<Finding>) -> Vec<Reported> {
    let documents = yaml::parse(file);
    let start = file.span(0, 0);
    let first = mesh.resources.partition_point(|resource| resource.header.span < start);
    let headers: Vec<&Header<'_>> = mesh.resources[first..]
        .iter()
        .map(|resource| &resource.header)
        .take_while(|header| file.has(header.span))
        .collect();
    let place = |mut finding: Finding| {
        finding.span = visible(file, finding.span);
        let header = headers.iter().find(|header| header.span.contains(finding.span));
        let resource = header.map(|header| ResourceName {
            api_version: header.api_version.to_string(),
            kind: header.kind.to_string(),
            namespace: header.namespace.to_string(),
            name: header.name.to_string(),
        });
        let (field, key) = header
            .map(|header| field(&documents, header.span, &finding))
            .unwrap_or_default();
        finding.span = key.filter(|_| finding.missing.is_some()).unwrap_or(finding.span);
        Reported {
            finding,
            resource,
            field,
            fingerprint: String::new(),
        }
    };
    findings.into_iter().map(place).collect()
}

/// A place that a reader can see: of an empty one, the last character before it, or the first of the file.
fn visible(file: &SourceFile, span: Span) -> Span {
    if !span.is_empty() {
        return span;
    }
    let before = file.text()[..file.range(span).start].trim_end();
    let character = before
        .char_indices()
        .next_back()
        .or_else(|| file.text().char_indices().next());
    character.map_or(span, |(at, character)| file.span(at, at + character.len_utf8()))
}

/// The path from an object to the value at a span, and the key of that value. A key stands for its value.
fn field(documents: &[Document<'_>], object: Span, finding: &Finding) -> (String, Option<Span>) {
    if let Some(path) = finding.missing_path {
        return (path.to_owned(), None);
    }
    let document = documents.iter().find(|document| document.span.contains(object));
    let Some(root) = document.and_then(|document| document.tree.root()) else {
        return (String::new(), None);
    };
    let mut path = String::new();
    let key = descend(root, object, finding.span, &mut path);
    if let Some(missing) = &finding.missing {
        push_key(&mut path, missing);
    }
    (path, key)
}

fn descend(node: Node<'_, '_>, object: Span, wanted: Span, path: &mut String) -> Option<Span> {
    if node.span() == object {
        path.clear();
    }
    for (key, value) in node.entries().filter(|_| node.is_mapping() && !node.is_alias()) {
        if key.span().contains(wanted) {
            push_key(path, &key.key());
            return None;
        }
        if value.span().contains(wanted) {
            push_key(path, &key.key());
            let inner = descend(value, object, wanted, path);
            return inner.or((value.span() == wanted).then_some(key.span()));
        }
    }
    for (index, item) in node.items().enumerate().filter(|_| !node.is_alias()) {
        if item.span().contains(wanted) {
            write!(path, "[{index}]").expect("a string takes all text");
            return descend(item, object, wanted, path);
        }
    }
    None
}

fn push_key(path: &mut String, key: &str) {
    let simple = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if simple {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    } else {
        write!(path, "[{}]", serde_json::Value::from(key)).expect("a string takes all text");
    }
}

fn number(mesh: &Mesh<'_>, reported: &mut [Reported]) {
    let mut seen: FxHashMap<u64, usize> = FxHashMap::default();
    for one in reported {
        let path = mesh
            .sources
            .find(one.finding.span)
            .map_or("", |file| file.path.as_str());
        let path = path.replace('\\', "/");
        let resource = one
            .resource
            .as_ref()
            .map(|name| [&*name.kind, &*name.namespace, &*name.name])
            .unwrap_or_default();
        let digest = digest([one.finding.rule, &path, &one.field].into_iter().chain(resource));
        let count = seen.entry(digest).or_default();
        one.fingerprint = format!("{digest:016x}:{count}");
        *count += 1;
    }
}

/// FNV-1a over texts: fingerprints are kept in files, so the function must never change.
fn digest<'t>(texts: impl Iterator<Item = &'t str>) -> u64 {
    let bytes = texts.flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
