//! The kinds of the Kubernetes Gateway API and its inference extension, as decoded from `spec`.

mod backend_tls_policy;
mod gateway;
mod gateway_class;
mod grpc_route;
mod http_route;
mod inference_pool;
mod listener_set;
mod reference_grant;
mod shared;
mod tcp_route;
mod tls_route;

pub use backend_tls_policy::*;
pub use gateway::*;
pub use gateway_class::*;
pub use grpc_route::*;
pub use http_route::*;
pub use inference_pool::*;
pub use listener_set::*;
pub use reference_grant::*;
pub use shared::*;
pub use tcp_route::*;
pub use tls_route::*;
