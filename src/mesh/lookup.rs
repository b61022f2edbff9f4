//! What can be known of a reference from a part of the world.

/// The answer to "what does this name mean?".
///
/// The input is seldom all there is. A name that is not in it may stand in another repository, so that only knowledge
/// makes it absent: the input owns the place where it would have to be, or the run is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup<T> {
    /// It is in the input.
    Found(T),
    /// It does not exist.
    Absent {
        /// The name that was probably meant, as it would be written at the place that asks.
        nearest: Option<String>,
    },
    /// The input does not tell.
    Unknown,
}

impl<T> Lookup<T> {
    /// The value, if found.
    pub fn found(self) -> Option<T> {
        match self {
            Lookup::Found(value) => Some(value),
            _ => None,
        }
    }
}
