//! AuthorizationPolicies as RBAC filters, and the calls of external authorizers.

use super::Target;
use crate::envoy::World;
use crate::envoy::message::{Filter, HttpFilter};

/// The filters of authorization on an HTTP chain; tokens are checked between the two parts.
#[derive(Clone, Debug, Default)]
pub struct ActionFilters {
    /// CUSTOM: a shadow RBAC filter and the call of the provider.
    pub custom: Vec<HttpFilter>,
    /// AUDIT, DENY, ALLOW.
    pub others: Vec<HttpFilter>,
}

/// The filters of a target's HTTP chains.
pub fn http_filters(world: &World<'_, '_>, target: &Target<'_>) -> ActionFilters {
    let _ = (world, target);
    ActionFilters::default()
}

/// The filters of a target's TCP chains.
pub fn tcp_filters(world: &World<'_, '_>, target: &Target<'_>) -> Vec<Filter> {
    let _ = (world, target);
    Vec::new()
}
