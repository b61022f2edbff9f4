//! Clusters.

use std::collections::BTreeMap;

use super::{
    ClusterLoadAssignment, ConfigSource, Empty, Extension, Json, Metadata, Origin, Percent, Str, TransportSocket,
    message,
};

message! {
    /// `cluster.v3.Cluster`
    Cluster {
        name: Str,
        alt_stat_name: Str,
        circuit_breakers: Option<CircuitBreakers>,
        cleanup_interval: Str,
        cluster_type: Option<Extension>,
        common_lb_config: Option<CommonLbConfig>,
        connect_timeout: Str,
        dns_jitter: Str,
        dns_lookup_family: &'static str,
        dns_refresh_rate: Str,
        eds_cluster_config: Option<EdsClusterConfig>,
        filters: Vec<Json>,
        lb_policy: &'static str,
        least_request_lb_config: Option<Json>,
        load_assignment: Option<ClusterLoadAssignment>,
        load_balancing_policy: Option<Json>,
        maglev_lb_config: Option<MaglevLbConfig>,
        metadata: Option<Metadata>,
        original_dst_lb_config: Option<Json>,
        outlier_detection: Option<OutlierDetection>,
        per_connection_buffer_limit_bytes: Option<u32>,
        respect_dns_ttl: bool,
        ring_hash_lb_config: Option<RingHashLbConfig>,
        round_robin_lb_config: Option<Json>,
        transport_socket: Option<TransportSocket>,
        transport_socket_matches: Vec<TransportSocketMatch>,
        r#type: &'static str,
        typed_extension_protocol_options: BTreeMap<&'static str, Json>,
        upstream_bind_config: Option<Json>,
        upstream_connection_options: Option<Json>,
        origin: Origin,
    }
    /// `Cluster.EdsClusterConfig`
    EdsClusterConfig {
        eds_config: ConfigSource,
        service_name: Str,
    }
    /// `cluster.v3.CircuitBreakers`
    CircuitBreakers {
        thresholds: Vec<Thresholds>,
    }
    /// `CircuitBreakers.Thresholds`
    Thresholds {
        max_connections: Option<u32>,
        max_pending_requests: Option<u32>,
        max_requests: Option<u32>,
        max_retries: Option<u32>,
        max_connection_pools: Option<u32>,
        retry_budget: Option<RetryBudget>,
        track_remaining: bool,
    }
    /// `Thresholds.RetryBudget`
    RetryBudget {
        budget_percent: Option<Percent>,
        min_retry_concurrency: Option<u32>,
    }
    /// `Cluster.CommonLbConfig`
    CommonLbConfig {
        healthy_panic_threshold: Option<Percent>,
        locality_weighted_lb_config: Option<Empty>,
        override_host_status: Option<Json>,
        zone_aware_lb_config: Option<Json>,
    }
    /// `Cluster.RingHashLbConfig`
    RingHashLbConfig {
        minimum_ring_size: Option<Str>,
    }
    /// `Cluster.MaglevLbConfig`
    MaglevLbConfig {
        table_size: Option<Str>,
    }
    /// `cluster.v3.OutlierDetection`
    OutlierDetection {
        base_ejection_time: Option<Str>,
        consecutive_5xx as "consecutive5xx": Option<u32>,
        consecutive_gateway_failure: Option<u32>,
        consecutive_local_origin_failure: Option<u32>,
        enforcing_consecutive_5xx as "enforcingConsecutive5xx": Option<u32>,
        enforcing_consecutive_gateway_failure: Option<u32>,
        enforcing_consecutive_local_origin_failure: Option<u32>,
        enforcing_local_origin_success_rate: Option<u32>,
        enforcing_success_rate: Option<u32>,
        interval: Option<Str>,
        max_ejection_percent: Option<u32>,
        split_external_local_origin_errors: bool,
    }
    /// `Cluster.TransportSocketMatch`
    TransportSocketMatch {
        name: &'static str,
        r#match: BTreeMap<&'static str, &'static str>,
        transport_socket: TransportSocket,
    }
}
