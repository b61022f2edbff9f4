//! What is wrong with the text, not yet worded for the user.

use crate::source::Span;

/// One fault of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where; never empty unless the file is.
    pub span: Span,
    /// What.
    pub kind: ProblemKind,
}

/// The faults a text can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The parser gave up here. What came before stands in the tree.
    Syntax(String),
    /// A tab where only spaces may indent.
    Tab,
    /// The file holds bytes that are no UTF-8.
    Encoding,
    /// The file holds a control character.
    Control,
    /// An alias of an anchor that was not set before.
    UnknownAnchor(String),
    /// An anchor whose value holds an alias of itself.
    RecursiveAnchor,
    /// Aliases that expand to more than any manifest needs.
    AliasBomb,
    /// Collections nested deeper than the parser follows.
    TooDeep,
    /// A key that is a mapping, a list or null. `template` says that it looks like a placeholder that was not rendered.
    KeyNotScalar {
        /// It is written in double braces.
        template: bool,
    },
    /// A number with no JSON form: infinity or not-a-number.
    NotFinite,
    /// A directive (`%YAML`), which kubectl refuses.
    Directive,
    /// The key stood before in the same mapping.
    DuplicateKey {
        /// The key.
        key: String,
        /// Where it stood first.
        first: Span,
    },
}

impl ProblemKind {
    /// Whether the API server's reader would refuse the whole document.
    pub fn breaks_document(&self) -> bool {
        !matches!(self, Self::DuplicateKey { .. })
    }
}
