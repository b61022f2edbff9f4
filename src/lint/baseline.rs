//! Findings of an earlier day that do not count today.

use std::collections::BTreeSet;

use super::Outcome;

/// The fingerprints of known findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeSet<String>,
}

impl Baseline {
    /// Reads a baseline file. `None` where it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let json: serde_json::Value = serde_json::from_str(text).ok()?;
        let entries = json.get("findings")?.as_array()?;
        let known = entries
            .iter()
            .map(|entry| entry["fingerprint"].as_str().map(str::to_owned));
        Some(Self {
            known: known.collect::<Option<_>>()?,
        })
    }

    /// Whether a finding is known.
    pub fn knows(&self, fingerprint: &str) -> bool {
        self.known.contains(fingerprint)
    }
}

/// The baseline that knows every finding of an outcome, as text. Rule and field stand beside the fingerprint so that
/// people can read it.
pub fn write(outcome: &Outcome) -> String {
    let entry = |reported: &super::Reported| {
        serde_json::json!({
            "fingerprint": reported.fingerprint,
            "rule": reported.finding.rule,
            "field": reported.field,
        })
    };
    let findings: Vec<_> = outcome.findings.iter().map(entry).collect();
    let json = serde_json::json!({ "version": 1, "findings": findings });
    serde_json::to_string_pretty(&json).expect("text and numbers have a JSON form") + "\n"
}
