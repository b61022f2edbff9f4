//! Endpoints.

use super::{Address, Metadata, Origin, Str, message};

message! {
    /// `endpoint.v3.ClusterLoadAssignment`
    ClusterLoadAssignment {
        cluster_name: Str,
        endpoints: Vec<LocalityLbEndpoints>,
        origin: Origin,
    }
    /// `endpoint.v3.LocalityLbEndpoints`
    LocalityLbEndpoints {
        lb_endpoints: Vec<LbEndpoint>,
        load_balancing_weight: Option<u32>,
        locality: Option<Locality>,
        priority: u32,
        origin: Origin,
    }
    /// `core.v3.Locality`
    Locality {
        region: Str,
        zone: Str,
        sub_zone: Str,
    }
    /// `endpoint.v3.LbEndpoint`
    LbEndpoint {
        endpoint: Endpoint,
        health_status: &'static str,
        load_balancing_weight: Option<u32>,
        metadata: Option<Metadata>,
    }
    /// `endpoint.v3.Endpoint`
    Endpoint {
        address: Address,
    }
}
