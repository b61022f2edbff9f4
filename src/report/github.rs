//! Findings to workflow commands: GitHub shows them at the lines of a pull request.

use std::fmt::Write as _;
use std::io;

use super::neutral::{visible, visible_lines};
use super::paths::{self, STANDARD_INPUT};
use super::summary;
use super::view::{Place, View};
use crate::findings::Severity;
use crate::lint::Reported;

/// Writes one command per finding and the counts.
pub fn write(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for reported in view.findings() {
        writeln!(out, "{}", command(view, reported))?;
    }
    writeln!(out, "{}", summary::sentence(&view.report.outcome.summary))
}

fn command(view: &View<'_>, reported: &Reported) -> String {
    let finding = &reported.finding;
    let place = view.place(finding.span);
    let name = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let properties = properties(view, place, finding.rule);
    format!("::{name} {properties}::{}", data(&words(view, reported)))
}

/// File, lines, columns and title. GitHub takes columns only where a finding lies on one line.
fn properties(view: &View<'_>, place: Place<'_>, title: &str) -> String {
    let mut properties = String::new();
    if let Some(file) = place.file.filter(|file| file.path != STANDARD_INPUT) {
        let path = paths::relative(&file.path, &view.report.working_directory);
        let path = path.unwrap_or_else(|| file.path.to_string());
        let (start, end) = (place.start, place.end);
        write!(
            properties,
            "file={},line={},endLine={},",
            property(&visible(&path)),
            start.line,
            end.line
        )
        .expect("a String takes any text");
        if start.line == end.line {
            write!(properties, "col={},endColumn={},", start.column, end.column).expect("a String takes any text");
        }
    }
    properties + "title=" + &property(title)
}

/// The message, the other places and the help, a line each.
fn words(view: &View<'_>, reported: &Reported) -> String {
    let finding = &reported.finding;
    let mut words = visible(&view.message(finding)).into_owned();
    for related in &finding.related {
        let place = view.place(related.span);
        let (name, Place { start, .. }) = (visible(place.name()), place);
        write!(
            words,
            "\n{name}:{}:{}: {}",
            start.line,
            start.column,
            visible(&view.related(related))
        )
        .expect("a String takes any text");
    }
    if let Some(help) = view.help(finding) {
        words = words + "\nhelp: " + &visible_lines(&help);
    }
    words
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
