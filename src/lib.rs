//! meshlint reads a tree of Istio and Kubernetes YAML as istiod would and says at the exact place what will break.

pub mod findings;
pub mod lint;
pub mod mesh;
pub mod model;
pub mod rules;
pub mod schema;
pub mod source;
pub mod yaml;
