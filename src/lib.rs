//! meshlint reads a tree of Istio and Kubernetes YAML as istiod would and says at the exact place what will break.
//!
//! The modules are the stages of one line, in reading order; each knows only those before it:
//!
//! ```text
//! paths -> source -> values -> yaml -> schema -> model -> mesh -> envoy -> findings -> rules -> lint -> config -> report -> cli
//! ```

pub mod source;

pub mod values;

pub mod yaml;

pub mod schema;

pub mod model;

pub mod mesh;

pub mod envoy;

pub mod findings;

pub mod rules;

pub mod lint;

pub mod config;

pub mod report;

pub mod cli;
