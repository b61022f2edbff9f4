//! Bytes in, spanned trees out.
//!
//! Takes one [`SourceFile`](crate::source::SourceFile) and hands on its [`Document`]s: a flat [`Tree`] of nodes that know
//! their bytes, the comments, and the [`Problem`]s met on the way. Parsing never fails and documents of a file do not
//! depend on each other. Scalars read as the Kubernetes API server reads them. Knows nothing of kinds or fields.

pub mod edit;
mod fast;
mod parse;
mod problem;
mod scalar;
mod split;
mod tree;

pub use parse::{Document, parse};
pub use problem::{Problem, ProblemKind};
pub use scalar::{Scalar, is_placeholder};
pub use tree::{Comment, Kind, Node, NodeId, Tree};
