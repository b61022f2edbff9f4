//! Findings to SARIF 2.1.0, as Microsoft's validator and GitHub's code scanning take it.

use std::io;

use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};

use super::neutral::write_json;
use super::paths;
use super::view::{self, Place, View};
use crate::findings::{Edit, Fix, Severity};
use crate::lint::{Reported, ResourceName};
use crate::rules::{self, Rule};
use crate::source::{FileId, Position, Skipped, Span};

/// Writes the report. Results are made as they are written.
pub fn write(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [run(view)],
    };
    write_json(&log, out)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Log<'r> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'r>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r> {
    tool: Tool,
    invocations: [Invocation; 1],
    column_kind: &'static str,
    results: Results<'r>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    name: String,
    short_description: Text,
    full_description: Text,
    help: Help,
    help_uri: String,
    default_configuration: Configuration,
    properties: RuleProperties,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
struct Help {
    text: &'static str,
    markdown: &'static str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct RuleProperties {
    tags: Vec<String>,
    aliases: &'static [&'static str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Text,
    locations: [FileLocation; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileLocation {
    physical_location: WholeFile,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WholeFile {
    artifact_location: Artifact,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

struct Results<'r> {
    view: &'r View<'r>,
    indexes: FxHashMap<&'static str, usize>,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let results = self.view.findings().map(|reported| {
            let index = self.indexes.get(reported.finding.rule).copied();
            result(self.view, reported, index)
        });
        serializer.collect_seq(results)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'r> {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<RelatedLocation>,
    partial_fingerprints: Fingerprints<'r>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<SarifFix<'r>>,
    properties: ResultProperties<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
struct RelatedLocation {
    id: usize,
    message: Text,
    #[serde(rename = "physicalLocation")]
    physical_location: PhysicalLocation,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct Fingerprints<'r> {
    #[serde(rename = "meshlint/v1")]
    own: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifFix<'r> {
    description: Text,
    artifact_changes: Vec<Change<'r>>,
    properties: FixProperties,
}

#[derive(Serialize)]
struct FixProperties {
    safety: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change<'r> {
    artifact_location: Artifact,
    replacements: Vec<Replacement<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement<'r> {
    deleted_region: Region,
    inserted_content: Content<'r>,
}

#[derive(Serialize)]
struct Content<'r> {
    text: &'r str,
}

#[derive(Serialize)]
struct ResultProperties<'r> {
    aliases: &'r [&'r str],
    field: &'r str,
}

fn run<'r>(view: &'r View<'r>) -> Run<'r> {
    let outcome = view.report.outcome;
    let driver = Driver {
        name: env!("CARGO_PKG_NAME"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        information_uri: env!("CARGO_PKG_REPOSITORY"),
        rules: rules::all().map(descriptor).collect(),
    };
    let invocation = Invocation {
        execution_successful: !outcome.internal_error,
        tool_execution_notifications: outcome
            .summary
            .skipped
            .iter()
            .map(|one| notification(view, one))
            .collect(),
    };
    let indexes = rules::all().enumerate().map(|(index, rule)| (rule.id, index)).collect();
    Run {
        tool: Tool { driver },
        invocations: [invocation],
        column_kind: "unicodeCodePoints",
        results: Results { view, indexes },
    }
}

fn descriptor(rule: &'static Rule) -> Descriptor {
    let summary = || Text {
        text: rule.summary().to_owned(),
    };
    let aliases = rule.aliases.iter().map(|alias| (*alias).to_owned());
    Descriptor {
        id: rule.id,
        name: pascal_case(rule.id),
        short_description: summary(),
        full_description: summary(),
        help: Help {
            text: rule.page,
            markdown: rule.page,
        },
        help_uri: rule.url(),
        default_configuration: Configuration {
            level: level(rule.severity),
        },
        properties: RuleProperties {
            tags: std::iter::once("istio".to_owned()).chain(aliases).take(TAGS).collect(),
            aliases: rule.aliases,
        },
    }
}

/// GitHub takes no more tags of a rule.
const TAGS: usize = 20;

fn pascal_case(id: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    id.split('-').map(word).collect()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn notification(view: &View<'_>, skipped: &Skipped) -> Notification {
    let uri = paths::uri(&skipped.path, &view.report.working_directory);
    Notification {
        level: "note",
        message: Text {
            text: format!("skipped: {}", skipped.reason),
        },
        locations: [FileLocation {
            physical_location: WholeFile {
                artifact_location: Artifact { uri },
            },
        }],
    }
}

fn result<'r>(view: &View<'r>, reported: &'r Reported, rule_index: Option<usize>) -> SarifResult<'r> {
    let finding = &reported.finding;
    let related = finding.related.iter().enumerate().map(|(id, related)| RelatedLocation {
        id,
        message: plain(&view.related(related)),
        physical_location: physical(view, related.span),
    });
    let help = view.help(finding).map(|help| format!("\n\n{help}")).unwrap_or_default();
    SarifResult {
        rule_id: finding.rule,
        rule_index,
        level: level(finding.severity),
        message: plain(&(view.message(finding).into_owned() + &help)),
        locations: [Location {
            physical_location: physical(view, finding.span),
            logical_locations: reported.resource.iter().map(logical).collect(),
        }],
        related_locations: related.collect(),
        partial_fingerprints: Fingerprints {
            own: &reported.fingerprint,
        },
        fixes: view.fixes(finding).map(|fix| sarif_fix(view, fix)).collect(),
        properties: ResultProperties {
            aliases: view::aliases(finding),
            field: &reported.field,
        },
    }
}

/// SARIF reads `[words](target)` as a link: input must not make one.
fn plain(text: &str) -> Text {
    Text {
        text: text.replace("](", "] ("),
    }
}

fn physical(view: &View<'_>, span: Span) -> PhysicalLocation {
    let place = view.place(span);
    PhysicalLocation {
        artifact_location: Artifact { uri: view.uri(place) },
        region: region(place),
    }
}

fn region(place: Place<'_>) -> Region {
    let (
        Position {
            line: start_line,
            column: start_column,
        },
        Position {
            line: end_line,
            column: end_column,
        },
    ) = (place.start, place.end);
    Region {
        start_line,
        start_column,
        end_line,
        end_column,
    }
}

fn logical(name: &ResourceName) -> LogicalLocation {
    let steps = [&*name.kind, &*name.namespace, &*name.name];
    let steps: Vec<&str> = steps.into_iter().filter(|step| !step.is_empty()).collect();
    LogicalLocation {
        fully_qualified_name: steps.join("/"),
        kind: "resource",
    }
}

fn sarif_fix<'r>(view: &View<'r>, fix: &'r Fix) -> SarifFix<'r> {
    let mut by_file: Vec<(FileId, Vec<&'r Edit>)> = Vec::new();
    for edit in &fix.edits {
        let id = view.report.sources.file_id(edit.span);
        match by_file.iter_mut().find(|(file, _)| *file == id) {
            Some((_, edits)) => edits.push(edit),
            None => by_file.push((id, vec![edit])),
        }
    }
    SarifFix {
        description: plain(&fix.title),
        artifact_changes: by_file.into_iter().map(|(_, edits)| change(view, &edits)).collect(),
        properties: FixProperties {
            safety: fix.safety.as_str(),
        },
    }
}

fn change<'r>(view: &View<'r>, edits: &[&'r Edit]) -> Change<'r> {
    let replacement = |edit: &&'r Edit| Replacement {
        deleted_region: region(view.place(edit.span)),
        inserted_content: Content { text: &edit.text },
    };
    let uri = edits
        .first()
        .map(|edit| view.uri(view.place(edit.span)))
        .unwrap_or_default();
    Change {
        artifact_location: Artifact { uri },
        replacements: edits.iter().map(replacement).collect(),
    }
}
