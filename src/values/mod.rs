//! Texts that stand for values: durations, hosts, addresses, labels.
//!
//! Takes single texts and says whether they have the form that Go's libraries, and so the API server and istiod, read,
//! and what they mean. Knows nothing of files, trees or kinds.

pub mod address;
pub mod duration;
pub mod header;
pub mod host;
pub mod jwks;
pub mod label;
pub mod minor;
pub mod policy;
pub mod regex;
pub mod tls;
