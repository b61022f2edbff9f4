//! Fixes to changed texts.

use super::Outcome;
use crate::findings::{Edit, Safety};
use crate::source::{FileId, Sources};

/// A file with its fixes made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The file.
    pub file: FileId,
    /// Its new text.
    pub text: String,
    /// How many edits were made.
    pub edits: usize,
}

/// Makes the first fix of each finding that is at least this safe. Fixes that touch the same bytes wait for the next run.
pub fn fix(sources: &Sources, outcome: &Outcome, least: Safety) -> Vec<Fixed> {
    let chosen = outcome
        .findings
        .iter()
        .filter_map(|reported| reported.finding.fixes.iter().find(|fix| fix.safety <= least));
    let mut edits: Vec<&Edit> = chosen.flat_map(|fix| &fix.edits).collect();
    edits.sort_by_key(|edit| edit.span);
    let by_file = edits.chunk_by(|a, b| sources.file_id(a.span) == sources.file_id(b.span));
    by_file
        .map(|edits| {
            let file = sources.file(edits[0].span);
            let (text, edits) = crate::yaml::edit::apply(file, edits.iter().copied());
            Fixed {
                file: file.id,
                text,
                edits,
            }
        })
        .collect()
}
