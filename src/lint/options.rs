//! What the user wants of a run.

use camino::Utf8PathBuf;
use globset::GlobMatcher;
use rustc_hash::FxHashMap;

use super::baseline::Baseline;
use crate::findings::{Finding, Severity};
use crate::rules::{Check, Limits, Rule};
use crate::source::Span;

/// What a rule's findings count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The rule does not run.
    Off,
    /// Its findings have this severity.
    At(Severity),
}

impl Level {
    /// The level of a word: `off`, `note`, `warning`, `error`.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "off" {
            Some(Level::Off)
        } else {
            Severity::from_name(name).map(Level::At)
        }
    }
}

/// Findings of some rules in some files that the configuration takes out.
#[derive(Clone, Debug)]
pub struct PathIgnore {
    /// The rules, by id; none means all.
    pub rules: Vec<&'static str>,
    /// The files.
    pub path: GlobMatcher,
    /// Why.
    pub reason: String,
    /// The entry in the configuration, which is one of the sources.
    pub span: Span,
}

/// Selection, severities, limits, ignores, baseline.
#[derive(Debug)]
pub struct Options {
    /// Levels by rule id.
    pub levels: FxHashMap<&'static str, Level>,
    /// Only these rules run, if any are given.
    pub select: Option<Vec<&'static str>>,
    /// These rules do not run.
    pub ignore: Vec<&'static str>,
    /// What is less severe is left out.
    pub min_severity: Severity,
    /// Limits of the rules that have one.
    pub limits: Limits,
    /// Files and rules to leave out.
    pub path_ignores: Vec<PathIgnore>,
    /// Findings that are known.
    pub baseline: Option<Baseline>,
    /// The folder that paths of the configuration start from.
    pub root: Utf8PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            levels: FxHashMap::default(),
            select: None,
            ignore: Vec::new(),
            min_severity: Severity::Note,
            limits: Limits::default(),
            path_ignores: Vec::new(),
            baseline: None,
            root: Utf8PathBuf::new(),
        }
    }
}

impl Options {
    /// Whether a rule takes part in the run.
    pub fn runs(&self, rule: &Rule) -> bool {
        let selected = self.select.as_ref().is_none_or(|only| only.contains(&rule.id));
        let off = self.levels.get(rule.id) == Some(&Level::Off) || self.ignore.contains(&rule.id);
        selected && !off
    }

    /// Whether the run may report something of its own, such as an ignore that nothing needed.
    pub fn runs_id(&self, id: &str) -> bool {
        crate::rules::by_id(id).is_some_and(|rule| matches!(rule.check, Check::Run) && self.runs(rule))
    }

    /// The severity a finding counts with.
    pub fn severity(&self, finding: &Finding) -> Severity {
        match self.levels.get(finding.rule) {
            Some(Level::At(severity)) => *severity,
            _ => finding.severity,
        }
    }
}
