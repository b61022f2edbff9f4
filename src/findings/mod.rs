//! What rules say.
//!
//! A [`Finding`] has a place, a message and what helps to mend it. [`Findings`] collects them for one rule and stamps the
//! rule's id and severity on each. Knows nothing of how findings are shown.

use std::borrow::Cow;
use std::fmt;

use crate::source::{Sources, Span};
pub use crate::yaml::edit::Edit;
use crate::yaml::edit::replace_scalar;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Probably not meant.
    Warning,
    /// Traffic breaks or is exposed.
    Error,
}

impl Severity {
    /// All of them, the least first.
    pub const ALL: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

    /// The word users write.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }

    /// The severity of a word.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.as_str() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How far a fix can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Safety {
    /// The meaning is certain: `--fix` makes it.
    Safe,
    /// Probably what was meant.
    Risky,
    /// Only shown.
    Shown,
}

impl Safety {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Safety::Safe => "safe",
            Safety::Risky => "risky",
            Safety::Shown => "shown",
        }
    }
}

/// A change that mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "use `reviews`".
    pub title: String,
    /// How far it can be trusted.
    pub safety: Safety,
    /// The changes; they belong together.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// A fix that keeps or surely restores what was meant.
    pub fn safe(title: impl Into<String>, edit: Edit) -> Self {
        Self {
            title: title.into(),
            safety: Safety::Safe,
            edits: vec![edit],
        }
    }

    /// The name that was probably meant, in the place of the one that means nothing.
    pub fn nearest(sources: &Sources, at: impl Into<Span>, name: Option<&str>) -> Option<Self> {
        let edit = replace_scalar(sources, at.into(), name?)?;
        Some(Self::risky(format!("use `{}`", name?), edit))
    }

    /// A fix that is probably what was meant.
    pub fn risky(title: impl Into<String>, edit: Edit) -> Self {
        Self {
            title: title.into(),
            safety: Safety::Risky,
            edits: vec![edit],
        }
    }
}

/// Another place that has to do with a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What stands there, in a few words.
    pub message: String,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The id of the rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The value at fault; of one that is missing, the key of the mapping that lacks it.
    pub span: Span,
    /// The name of the field that is missing below the span.
    pub missing: Option<Cow<'static, str>>,
    /// The path from the object of a field that is missing with all that would be around it.
    pub missing_path: Option<&'static str>,
    /// What is wrong: one line, lower case, the user's own values in backticks.
    pub message: String,
    /// Consequence and next step.
    pub help: Option<String>,
    /// The counterparts.
    pub related: Vec<Related>,
    /// Ways to mend it, the best first.
    pub fixes: Vec<Fix>,
}

impl Finding {
    /// Adds another place.
    pub fn related(&mut self, span: impl Into<Span>, message: impl Into<String>) -> &mut Self {
        self.related.push(Related {
            span: span.into(),
            message: message.into(),
        });
        self
    }

    /// Says what follows from it and what to do.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a way to mend it.
    pub fn fix(&mut self, fix: Option<Fix>) -> &mut Self {
        self.fixes.extend(fix);
        self
    }

    /// Says that a field is missing in the mapping at the finding's place.
    pub fn missing(&mut self, field: impl Into<Cow<'static, str>>) -> &mut Self {
        self.missing = Some(field.into());
        self
    }

    /// Says that a field is missing in the object, by its path from there: the place is only the nearest that exists.
    pub fn missing_at(&mut self, path: &'static str) -> &mut Self {
        self.missing_path = Some(path);
        self
    }

    /// Another severity than the rule's, for a case that is less certain or worse.
    pub fn severity(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }
}

/// The findings of one rule.
#[derive(Debug)]
pub struct Findings {
    rule: &'static str,
    severity: Severity,
    all: Vec<Finding>,
    undecided: Vec<Span>,
}

impl Findings {
    /// An empty list for a rule.
    pub fn new(rule: &'static str, severity: Severity) -> Self {
        Self {
            rule,
            severity,
            all: Vec::new(),
            undecided: Vec::new(),
        }
    }

    /// Adds a finding at a place.
    pub fn add(&mut self, at: impl Into<Span>, message: impl Into<String>) -> &mut Finding {
        self.all.push(Finding {
            rule: self.rule,
            severity: self.severity,
            span: at.into(),
            missing: None,
            missing_path: None,
            message: message.into(),
            help: None,
            related: Vec::new(),
            fixes: Vec::new(),
        });
        self.all.last_mut().expect("one was just added")
    }

    /// Notes a question that the input does not answer.
    pub fn undecided(&mut self, at: impl Into<Span>) {
        self.undecided.push(at.into());
    }

    /// All that were added, and where questions stayed open.
    pub fn finish(self) -> (Vec<Finding>, Vec<Span>) {
        (self.all, self.undecided)
    }
}
