//! meshlint reads a tree of Istio and Kubernetes YAML as istiod would and says at the exact place what will break.

pub mod source;
pub mod yaml;
