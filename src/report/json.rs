//! Findings to the JSON contract, version 1: one finding per line, written as it comes. `schemas/report.json` describes it.

use std::borrow::Cow;
use std::io;

use serde::Serialize;

use super::neutral::write_json;
use super::view::{self, View};
use crate::findings::{Edit, Fix};
use crate::lint::{Reported, ResourceName, Summary};
use crate::source::Span;

/// Writes the report.
pub fn write(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(b"{\"version\":1,\n\"findings\":[")?;
    for (index, reported) in view.findings().enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        write_json(&finding(view, reported), out)?;
    }
    out.write_all(b"],\n\"summary\":")?;
    write_json(&summary(&view.report.outcome.summary), out)?;
    out.write_all(b"}\n")
}

#[derive(Serialize)]
struct JsonFinding<'r> {
    rule: &'r str,
    aliases: &'r [&'r str],
    severity: &'r str,
    message: Cow<'r, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<Cow<'r, str>>,
    resource: Option<JsonResource<'r>>,
    field: &'r str,
    #[serde(flatten)]
    place: JsonPlace<'r>,
    related: Vec<JsonRelated<'r>>,
    fixes: Vec<JsonFix<'r>>,
    fingerprint: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonResource<'r> {
    api_version: &'r str,
    kind: &'r str,
    namespace: &'r str,
    name: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPlace<'r> {
    file: &'r str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    byte_start: usize,
    byte_end: usize,
}

#[derive(Serialize)]
struct JsonRelated<'r> {
    message: Cow<'r, str>,
    #[serde(flatten)]
    place: JsonPlace<'r>,
}

#[derive(Serialize)]
struct JsonFix<'r> {
    title: &'r str,
    safety: &'r str,
    edits: Vec<JsonEdit<'r>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonEdit<'r> {
    file: &'r str,
    byte_start: usize,
    byte_end: usize,
    new_text: &'r str,
}

#[derive(Serialize)]
struct JsonSummary<'r> {
    files: usize,
    documents: usize,
    resources: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    suppressed: usize,
    baselined: usize,
    skipped: Vec<JsonSkipped<'r>>,
    undecided: usize,
}

#[derive(Serialize)]
struct JsonSkipped<'r> {
    file: &'r str,
    reason: &'r str,
}

fn finding<'r>(view: &View<'r>, reported: &'r Reported) -> JsonFinding<'r> {
    let finding = &reported.finding;
    let related = finding.related.iter().map(|related| JsonRelated {
        message: view.related(related),
        place: place(view, related.span),
    });
    JsonFinding {
        rule: finding.rule,
        aliases: view::aliases(finding),
        severity: finding.severity.as_str(),
        message: view.message(finding),
        help: view.help(finding),
        resource: reported.resource.as_ref().map(resource),
        field: &reported.field,
        place: place(view, finding.span),
        related: related.collect(),
        fixes: view.fixes(finding).map(|fix| json_fix(view, fix)).collect(),
        fingerprint: &reported.fingerprint,
    }
}

fn resource(name: &ResourceName) -> JsonResource<'_> {
    JsonResource {
        api_version: &name.api_version,
        kind: &name.kind,
        namespace: &name.namespace,
        name: &name.name,
    }
}

fn place<'r>(view: &View<'r>, span: Span) -> JsonPlace<'r> {
    let (place, bytes) = (view.place(span), view.bytes(span));
    JsonPlace {
        file: place.path(),
        line: place.start.line,
        column: place.start.column,
        end_line: place.end.line,
        end_column: place.end.column,
        byte_start: bytes.start,
        byte_end: bytes.end,
    }
}

fn json_fix<'r>(view: &View<'r>, fix: &'r Fix) -> JsonFix<'r> {
    let edit = |edit: &'r Edit| {
        let bytes = view.bytes(edit.span);
        JsonEdit {
            file: view.place(edit.span).path(),
            byte_start: bytes.start,
            byte_end: bytes.end,
            new_text: &edit.text,
        }
    };
    JsonFix {
        title: &fix.title,
        safety: fix.safety.as_str(),
        edits: fix.edits.iter().map(edit).collect(),
    }
}

fn summary(summary: &Summary) -> JsonSummary<'_> {
    let skipped = summary.skipped.iter();
    JsonSummary {
        files: summary.files,
        documents: summary.documents,
        resources: summary.resources,
        errors: summary.errors,
        warnings: summary.warnings,
        notes: summary.notes,
        suppressed: summary.suppressed,
        baselined: summary.baselined,
        skipped: skipped
            .map(|one| JsonSkipped {
                file: one.path.as_str(),
                reason: &one.reason,
            })
            .collect(),
        undecided: summary.undecided,
    }
}
