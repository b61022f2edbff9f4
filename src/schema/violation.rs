//! What can be wrong with a structure.

use super::check::{Broken, Refuser, Word};
use super::format::{Form, Format};
use super::nearest::nearest;
use crate::source::Span;
use crate::values::minor::Minor;

/// One structural fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The key of an unknown field, the value of a mistyped one, the mapping that lacks a field.
    pub span: Span,
    /// What.
    pub kind: ViolationKind,
}

/// The structural faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// The mapping has no field of this name.
    UnknownField {
        /// The name that stands there.
        name: String,
        /// The field that was probably meant, where it is not set beside.
        nearest: Option<String>,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The value has a type that the field does not take.
    Mistyped {
        /// The field, or the key of the map.
        field: String,
        /// What it takes, in words.
        expected: String,
        /// What stands there.
        found: Found,
        /// Whether a text would have to have a form that this value in quotes does not have.
        formatted: bool,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The field of a custom kind is null.
    NullValue {
        /// The field, or the key of the map.
        field: String,
    },
    /// The word is none of those that the field takes.
    UnknownWord {
        /// The field, or the key of the map.
        field: String,
        /// The word.
        word: String,
        /// What the field takes, in words.
        allowed: String,
        /// The word that was probably meant.
        nearest: Option<String>,
        /// The word is the whole value.
        whole: bool,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The value does not have the form that the field demands.
    Malformed {
        /// The field, or the key of the map.
        field: String,
        /// The value.
        value: String,
        /// What it was to be.
        form: Form,
        /// Why it is none.
        reason: String,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The number lies outside of what the field takes.
    OutOfRange {
        /// The field, or the key of the map.
        field: String,
        /// What stands there.
        value: String,
        /// What the field takes, in words.
        range: String,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The text is too short or too long.
    WrongLength {
        /// The field, or the key of the map.
        field: String,
        /// How many characters it has.
        length: usize,
        /// How many it may have, in words.
        allowed: String,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The list or mapping has too few or too many entries.
    WrongCount {
        /// The field, or the key of the map.
        field: String,
        /// How many there are.
        count: usize,
        /// How many there may be, in words.
        allowed: String,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The mapping lacks a field.
    Missing {
        /// The mapping's own field; empty for the whole object.
        field: String,
        /// What it lacks.
        name: String,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// Two fields of a mapping exclude each other.
    Conflict {
        /// The later one.
        field: String,
        /// The earlier one.
        other: String,
        /// Its place.
        other_span: Span,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The value fits none of several forms, or more than one.
    Alternatives {
        /// The value's own field; empty for the whole object.
        field: String,
        /// The fields that each form requires, in words; empty where it is not about fields.
        alternatives: String,
        /// It fits none.
        none_fits: bool,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// An entry of a list repeats an earlier one.
    Repeated {
        /// The list.
        field: String,
        /// What they share.
        value: String,
        /// The place of the earlier one.
        first: Span,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// The API has the field or the value, and nobody takes it.
    Unsupported {
        /// The field.
        field: String,
        /// The value at fault; empty where it is the field itself.
        value: String,
        /// Who does not take it.
        refuser: Refuser,
    },
    /// A condition of the schema does not hold.
    BrokenCondition {
        /// What the schema demands, in its own words.
        message: String,
        /// What kept it from being evaluated.
        why: Option<String>,
    },
    /// meshlint cannot evaluate a condition of the schema.
    UnevaluatedCondition {
        /// The condition's message, or the condition.
        condition: String,
        /// What keeps it.
        why: String,
    },
    /// The field or the word comes with a later minor of Istio.
    TooNew {
        /// What.
        name: String,
        /// The minor that brings it.
        since: Minor,
        /// A word, not a field.
        is_word: bool,
    },
}

impl ViolationKind {
    /// What is wrong with a single value.
    pub(super) fn of_value(broken: Broken<'_>, refuser: Refuser, text: &str, field: &str) -> Self {
        let (field, value) = (field.to_owned(), text.to_owned());
        match broken {
            Broken::Word(words) => unknown_word(field, text, words, refuser),
            Broken::NewWord(since) => ViolationKind::TooNew {
                name: value,
                since,
                is_word: true,
            },
            Broken::Range(range) => ViolationKind::OutOfRange {
                field,
                value,
                range: range.words(),
                refuser,
            },
            Broken::Length(sizes, length) => ViolationKind::WrongLength {
                field,
                length,
                allowed: sizes.words(),
                refuser,
            },
            Broken::Form(format, fault) => match fault.word {
                Some((word, known)) => ViolationKind::UnknownWord {
                    field,
                    nearest: nearest(&word, known.iter().copied()).map(str::to_owned),
                    whole: word == text,
                    word,
                    allowed: fault.reason,
                    refuser,
                },
                None => ViolationKind::Malformed {
                    field,
                    value,
                    form: format.form(),
                    reason: fault.reason,
                    refuser: if fault.webhook_only { Refuser::Webhook } else { refuser },
                },
            },
            Broken::Pattern(pattern, format) => ViolationKind::Malformed {
                field,
                value,
                form: format.map_or(Form::Text, Format::form),
                reason: format!("it does not match `{pattern}`"),
                refuser,
            },
        }
    }

    /// Whether the API server drops what is wrong before it looks further.
    pub(super) fn is_dropped(&self) -> bool {
        matches!(
            self,
            ViolationKind::UnknownField { .. } | ViolationKind::NullValue { .. }
        )
    }

    /// Whether a patch that adds something may mend it.
    pub fn is_absence(&self) -> bool {
        matches!(
            self,
            ViolationKind::Missing { .. }
                | ViolationKind::Alternatives { none_fits: true, .. }
                | ViolationKind::BrokenCondition { .. }
                | ViolationKind::UnevaluatedCondition { .. }
        )
    }
}

/// What a mistyped value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A mapping.
    Mapping,
    /// A list.
    List,
    /// A text.
    Text,
    /// A number; without quotes.
    Number,
    /// A boolean; without quotes, so `yes` and `on` are ones.
    Boolean,
    /// Nothing, as the item of a list.
    Null,
}

fn unknown_word(field: String, word: &str, words: &[Word], refuser: Refuser) -> ViolationKind {
    let allowed: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
    ViolationKind::UnknownWord {
        field,
        word: word.to_owned(),
        allowed: format!("it is one of {}", allowed.join(", ")),
        nearest: nearest(word, words.iter().map(|(word, _)| &**word)).map(str::to_owned),
        whole: true,
        refuser,
    }
}
