//! Texts that are kept, each once.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashSet};

/// The texts of a run. Most of what manifests say is said many times.
#[derive(Debug, Default)]
pub struct Words {
    texts: boxcar::Vec<Box<str>>,
}

/// A text of [`Words`], in the room of one address.
#[derive(Clone, Copy)]
#[expect(clippy::borrowed_box, reason = "one address instead of an address and a length")]
pub struct Word<'a>(&'a Box<str>);

/// Tells which texts are in [`Words`] already; needed as long as some are added.
#[derive(Debug)]
pub struct Interner<'a> {
    words: &'a Words,
    shards: [Mutex<FxHashSet<Word<'a>>>; SHARDS],
}

/// Threads that add at the same time seldom meet.
const SHARDS: usize = 64;

impl<'a> Interner<'a> {
    /// Adds to these.
    pub fn new(words: &'a Words) -> Self {
        Self {
            words,
            shards: std::array::from_fn(|_| Mutex::default()),
        }
    }

    /// The kept text that equals this one.
    pub fn word(&self, text: &str) -> Word<'a> {
        let shard = usize::try_from(FxBuildHasher.hash_one(text) >> 58).unwrap_or(0);
        let mut known = self.shards[shard % SHARDS]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(word) = known.get(text) {
            return *word;
        }
        let word = Word(&self.words.texts[self.words.texts.push(text.into())]);
        known.insert(word);
        word
    }
}

impl<'a> Word<'a> {
    /// The text.
    pub fn as_str(self) -> &'a str {
        self.0
    }
}

impl Deref for Word<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl Borrow<str> for Word<'_> {
    fn borrow(&self) -> &str {
        self.0
    }
}

impl Hash for Word<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Eq for Word<'_> {}

impl PartialEq for Word<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl PartialEq<str> for Word<'_> {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Word<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Debug for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once() {
        let words = Words::default();
        let interner = Interner::new(&words);
        let (a, b) = (interner.word("reviews"), interner.word("ratings"));
        assert!(std::ptr::eq(a.as_str(), interner.word("reviews").as_str()));
        assert_eq!((a.as_str(), b.as_str()), ("reviews", "ratings"));
        assert_eq!(words.texts.count(), 2);
    }
}
