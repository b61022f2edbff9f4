//! How much is pushed.

use std::io;

use serde::Serialize;

use super::{Configuration, Piece};

/// How much a configuration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Clusters.
    pub clusters: usize,
    /// Endpoints of all clusters.
    pub endpoints: usize,
    /// Bytes, as JSON. What goes over the wire is about half.
    pub bytes: usize,
}

impl std::ops::Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            clusters: self.clusters + other.clusters,
            endpoints: self.endpoints + other.endpoints,
            bytes: self.bytes + other.bytes,
        }
    }
}

impl Configuration {
    /// How much it is. Every piece is written out once, to nowhere.
    pub fn size(&self) -> Size {
        let endpoints = self.endpoints.iter().map(|piece| match piece {
            Piece::Made(made) => made.endpoints.iter().map(|group| group.lb_endpoints.len()).sum(),
            Piece::Patched { .. } => 0,
        });
        Size {
            clusters: self.clusters.len(),
            endpoints: endpoints.sum(),
            bytes: bytes(self),
        }
    }
}

/// Counts what is written.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, written: &[u8]) -> io::Result<usize> {
        self.0 += written.len();
        Ok(written.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn bytes(value: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    // Writing to a counter cannot fail, and messages have no keys but texts.
    let _ = serde_json::to_writer(&mut counter, value);
    counter.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_json() {
        assert_eq!(bytes(&["a", "bc"]), r#"["a","bc"]"#.len());
        assert_eq!(Configuration::default().size().clusters, 0);
    }
}
