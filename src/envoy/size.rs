//! How much is pushed.

use std::io;

use serde::Serialize;

use super::message::RouteConfiguration;
use super::{Configuration, Piece};

/// How much a configuration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Clusters.
    pub clusters: usize,
    /// Endpoints of all clusters.
    pub endpoints: usize,
    /// Bytes, about, as JSON, where they were measured. What goes over the wire is less.
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
    /// How much it is, in bytes only if they are to be measured: of many pieces of a kind some are written out, to nowhere,
    /// and the others taken to be like them.
    pub fn size(&self, is_measured: bool) -> Size {
        let (clusters, _) = self.clusters.counts();
        let (_, endpoints) = self.endpoints.counts();
        Size {
            clusters,
            endpoints,
            bytes: if is_measured { self.bytes() } else { 0 },
        }
    }

    fn bytes(&self) -> usize {
        let routes = |piece: &Piece<RouteConfiguration>| match piece {
            Piece::Made(made) => estimate(&made.virtual_hosts, bytes),
            patched @ Piece::Patched { .. } => bytes(patched),
        };
        estimate(&self.listeners, bytes)
            + estimate(&self.clusters, bytes)
            + estimate(&self.endpoints, bytes)
            + self.routes.iter().map(routes).sum::<usize>()
    }
}

/// How many of a kind are written out.
const SAMPLE: usize = 40;

fn estimate<T>(all: &[T], measure: impl Fn(&T) -> usize) -> usize {
    let step = all.len().div_ceil(SAMPLE).max(1);
    let measured: usize = all.iter().step_by(step).map(measure).sum();
    measured * all.len() / all.len().div_ceil(step).max(1)
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
    fn many_are_estimated_by_some() {
        let all: Vec<usize> = vec![7; 1001];
        assert_eq!(estimate(&all, |size| *size), 7007);
        assert_eq!(estimate(&[1_usize, 2, 3], |size| *size), 6);
    }

    #[test]
    fn bytes_are_those_of_the_json() {
        assert_eq!(bytes(&["a", "bc"]), r#"["a","bc"]"#.len());
        assert_eq!(Configuration::default().size(true), Size::default());
    }
}
