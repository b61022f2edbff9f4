//! The resources of one kind in a configuration.

use std::ops::{Deref, DerefMut};

use serde::Serialize;

use super::Piece;
use super::message::{Cluster, ClusterLoadAssignment, Listener, RouteConfiguration};

/// The resources of one kind. Where they are only counted, each is let go as soon as it was compiled.
#[derive(Clone, Debug)]
pub struct Layer<T> {
    pieces: Vec<Piece<T>>,
    is_kept: bool,
    count: usize,
    endpoints: usize,
}

/// What is counted besides the pieces.
pub trait Counted {
    /// How many endpoints it has.
    fn endpoints(&self) -> usize {
        0
    }
}

impl Counted for Listener {}

impl Counted for RouteConfiguration {}

impl Counted for Cluster {}

impl Counted for ClusterLoadAssignment {
    fn endpoints(&self) -> usize {
        self.endpoints.iter().map(|group| group.lb_endpoints.len()).sum()
    }
}

impl<T> Default for Layer<T> {
    fn default() -> Self {
        Self::new(true)
    }
}

impl<T> Layer<T> {
    /// An empty layer, which keeps or only counts what is added.
    pub fn new(is_kept: bool) -> Self {
        Self {
            pieces: Vec::new(),
            is_kept,
            count: 0,
            endpoints: 0,
        }
    }

    /// How many pieces were added, and how many endpoints they have.
    pub fn counts(&self) -> (usize, usize) {
        (self.count, self.endpoints)
    }
}

impl<T: Counted> Layer<T> {
    /// Adds what was compiled.
    pub fn add(&mut self, made: T) {
        self.count += 1;
        self.endpoints += made.endpoints();
        if self.is_kept {
            self.pieces.push(made.into());
        }
    }

    /// Adds all that was compiled.
    pub fn add_all(&mut self, made: impl IntoIterator<Item = T>) {
        made.into_iter().for_each(|made| self.add(made));
    }
}

impl<T: Counted> FromIterator<Piece<T>> for Layer<T> {
    fn from_iter<I: IntoIterator<Item = Piece<T>>>(pieces: I) -> Self {
        let pieces: Vec<_> = pieces.into_iter().collect();
        let endpoints = pieces.iter().map(|piece| match piece {
            Piece::Made(made) => made.endpoints(),
            Piece::Patched { .. } => 0,
        });
        Self {
            is_kept: true,
            count: pieces.len(),
            endpoints: endpoints.sum(),
            pieces,
        }
    }
}

impl<T> IntoIterator for Layer<T> {
    type Item = Piece<T>;
    type IntoIter = std::vec::IntoIter<Piece<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.pieces.into_iter()
    }
}

impl<T> Deref for Layer<T> {
    type Target = Vec<Piece<T>>;

    fn deref(&self) -> &Vec<Piece<T>> {
        &self.pieces
    }
}

impl<T> DerefMut for Layer<T> {
    fn deref_mut(&mut self) -> &mut Vec<Piece<T>> {
        &mut self.pieces
    }
}

impl<'l, T> IntoIterator for &'l Layer<T> {
    type Item = &'l Piece<T>;
    type IntoIter = std::slice::Iter<'l, Piece<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.pieces.iter()
    }
}

impl<T: Serialize> Serialize for Layer<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.pieces.serialize(serializer)
    }
}
