//! The counts of a run as one line for people.

use std::fmt::Write as _;

use crate::lint::Summary;

/// Findings by severity in how many files, and in brackets what was left out.
pub fn sentence(summary: &Summary) -> String {
    let files = counted(summary.files, "file");
    let mut sentence = if summary.errors + summary.warnings + summary.notes == 0 {
        format!("no findings in {files}")
    } else {
        let errors = counted(summary.errors, "error");
        let warnings = counted(summary.warnings, "warning");
        let notes = counted(summary.notes, "note");
        format!("{errors}, {warnings}, {notes} in {files}")
    };
    let left_out = [
        (summary.suppressed, "suppressed"),
        (summary.baselined, "in the baseline"),
        (summary.skipped.len(), "skipped"),
        (summary.undecided, "undecided"),
    ];
    let left_out: Vec<String> = left_out
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if !left_out.is_empty() {
        write!(sentence, " ({})", left_out.join(", ")).expect("a String takes any text");
    }
    sentence
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Skipped;

    #[test]
    fn one_is_singular_and_nothing_is_not_counted() {
        let clean = Summary {
            files: 1,
            ..Summary::default()
        };
        assert_eq!(sentence(&clean), "no findings in 1 file");
        let skipped = vec![Skipped {
            path: "a.yaml".into(),
            reason: "too large".into(),
        }];
        let quiet = Summary {
            files: 2,
            suppressed: 3,
            skipped,
            ..Summary::default()
        };
        assert_eq!(sentence(&quiet), "no findings in 2 files (3 suppressed, 1 skipped)");
        let busy = Summary {
            files: 2,
            errors: 1,
            notes: 2,
            baselined: 1,
            undecided: 4,
            ..Summary::default()
        };
        assert_eq!(
            sentence(&busy),
            "1 error, 0 warnings, 2 notes in 2 files (1 in the baseline, 4 undecided)"
        );
    }
}
