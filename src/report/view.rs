//! A report in, what every format says of a finding out.
//!
//! Words without the values of Secrets, places as people count them, fixes that may be shown. Knows nothing of formats.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use super::Report;
use super::paths::{self, STANDARD_INPUT};
use super::secrets::Secrets;
use crate::findings::{Finding, Fix, Related};
use crate::lint::Reported;
use crate::rules::{self, Rule};
use crate::source::{FileId, Position, SourceFile, Span};

/// A report with what is worked out for all of its findings.
pub struct View<'r> {
    /// What is reported.
    pub report: &'r Report<'r>,
    /// What must not be shown.
    pub secrets: Secrets<'r>,
    /// The place that was asked for last.
    last: Cell<Option<(FileId, usize, Position)>>,
}

/// A span as people count it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'r> {
    /// The file; none where a run without files has something to say.
    pub file: Option<&'r SourceFile>,
    /// The first character.
    pub start: Position,
    /// The character after the last.
    pub end: Position,
}

impl<'r> View<'r> {
    /// Nothing is worked out before it is asked for.
    pub fn new(report: &'r Report<'r>) -> Self {
        Self {
            report,
            secrets: Secrets::new(report.sources),
            last: Cell::new(None),
        }
    }

    /// The findings in their order.
    pub fn findings(&self) -> impl Iterator<Item = &'r Reported> + use<'r> {
        self.report.outcome.findings.iter()
    }

    /// Where a span is.
    pub fn place(&self, span: Span) -> Place<'r> {
        match self.report.sources.find(span) {
            Some(file) => {
                let range = file.range(span);
                let start = self.position(file, range.start);
                Place {
                    file: Some(file),
                    start,
                    end: self.position(file, range.end),
                }
            }
            None => Place {
                file: None,
                start: Position { line: 1, column: 1 },
                end: Position { line: 1, column: 1 },
            },
        }
    }

    /// The bytes of its file that a span covers.
    pub fn bytes(&self, span: Span) -> Range<usize> {
        self.report.sources.find(span).map_or(0..0, |file| file.range(span))
    }

    /// Line and column, counted from the last place where that is on the same line: a minified file has one line, which
    /// must not be counted from its start for every finding.
    fn position(&self, file: &SourceFile, at: usize) -> Position {
        let near = self
            .last
            .get()
            .filter(|(id, last, _)| *id == file.id && share_line(file, *last, at));
        let position = match near {
            Some((_, last, known)) => {
                let between = &file.text().as_bytes()[at.min(last)..at.max(last)];
                let characters = between.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
                let characters = u32::try_from(characters).expect("a file is at most 4 GiB");
                let column = if at < last {
                    known.column - characters
                } else {
                    known.column + characters
                };
                Position { column, ..known }
            }
            None => file.position(at),
        };
        if at < file.text().len() {
            self.last.set(Some((file.id, at, position)));
        }
        position
    }

    /// What is wrong.
    pub fn message(&self, finding: &'r Finding) -> Cow<'r, str> {
        self.secrets.redacted(finding.span, &finding.message)
    }

    /// What follows and what to do.
    pub fn help(&self, finding: &'r Finding) -> Option<Cow<'r, str>> {
        finding
            .help
            .as_deref()
            .map(|help| self.secrets.redacted(finding.span, help))
    }

    /// What stands at another place.
    pub fn related(&self, related: &'r Related) -> Cow<'r, str> {
        self.secrets.redacted(related.span, &related.message)
    }

    /// The fixes that write no value of a Secret.
    pub fn fixes(&self, finding: &'r Finding) -> impl Iterator<Item = &'r Fix> {
        finding
            .fixes
            .iter()
            .filter(|fix| !fix.edits.iter().any(|edit| self.secrets.touches(edit.span)))
    }

    /// The URI of a place.
    pub fn uri(&self, place: Place<'_>) -> String {
        place.file.map_or_else(
            || ".".to_owned(),
            |file| paths::uri(&file.path, &self.report.working_directory),
        )
    }
}

/// Whether two places are on one line. A byte order mark is no column: the first bytes of a file are not counted from.
fn share_line(file: &SourceFile, a: usize, b: usize) -> bool {
    let (first, last) = (a.min(b), a.max(b));
    let lines = file.lines();
    first > 3 && last < file.text().len() && lines.line_of(first) == lines.line_of(last)
}

impl<'r> Place<'r> {
    /// The path as the user wrote it; empty where there is no file.
    pub fn path(&self) -> &'r str {
        self.file.map_or("", |file| file.path.as_str())
    }

    /// The path for people.
    pub fn name(&self) -> &'r str {
        let path = self.path();
        if path == STANDARD_INPUT { "<stdin>" } else { path }
    }
}

/// The rule of a finding.
pub fn rule(finding: &Finding) -> Option<&'static Rule> {
    rules::by_id(finding.rule)
}

/// What other tools call the rule of a finding.
pub fn aliases(finding: &Finding) -> &'static [&'static str] {
    rule(finding).map_or(&[], |rule| rule.aliases)
}
