//! The Gateway API: its Gateways become pods, Services and gateway servers, its routes become virtual routes.
//!
//! Knows nothing of Istio's own kinds: both APIs meet in the models of [`gateways`](super::gateways::model) and
//! [`routing`](super::routing::model).

mod class;
mod deployment;

pub use class::Controller;
pub use deployment::{GATEWAY_NAME, pods, services};
