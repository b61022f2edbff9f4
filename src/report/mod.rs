//! An outcome in, bytes of a format out.
//!
//! Takes what a run says and writes it for people or for a machine, one file per format. What is written depends on the
//! [`Report`] alone: never on the environment, the clock or the terminal. Text from the input is shown so that it cannot
//! act, and values of Secrets are not shown at all. Knows nothing of how findings come about.

mod excerpt;
mod github;
mod json;
pub(crate) mod neutral;
mod paths;
pub mod proxies;
mod sarif;
mod secrets;
mod summary;
mod text;
mod view;

use std::io;

use camino::Utf8PathBuf;

use crate::lint::Outcome;
use crate::source::Sources;

/// The forms a report can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Source lines with the faults marked, for people.
    Text,
    /// The contract of `schemas/report.json`.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands, which GitHub shows at the lines of a change.
    Github,
}

impl Format {
    /// All of them, the default first.
    pub const ALL: [Format; 4] = [Format::Text, Format::Json, Format::Sarif, Format::Github];

    /// The word users write.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Sarif => "sarif",
            Format::Github => "github",
        }
    }

    /// The format of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// What is reported, and how it may look.
#[derive(Clone, Debug)]
pub struct Report<'r> {
    /// What the run says.
    pub outcome: &'r Outcome,
    /// The files it speaks of.
    pub sources: &'r Sources,
    /// Whether text has colours and links.
    pub color: bool,
    /// Whether text is drawn with more than ASCII.
    pub unicode: bool,
    /// The columns that text may fill.
    pub width: usize,
    /// The absolute folder that relative paths start from. Machines get paths relative to it.
    pub working_directory: Utf8PathBuf,
}

/// Writes a report.
///
/// # Errors
///
/// Those of `out`.
pub fn write(format: Format, report: &Report<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let view = view::View::new(report);
    match format {
        Format::Text => text::write(&view, out),
        Format::Json => json::write(&view, out),
        Format::Sarif => sarif::write(&view, out),
        Format::Github => github::write(&view, out),
    }
}
