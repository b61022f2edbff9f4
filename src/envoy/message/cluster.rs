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
        typed_dns_resolver_config: Option<Extension>,
        typed_extension_protocol_options: Option<TypedExtensionProtocolOptions>,
        upstream_bind_config: Option<Json>,
        upstream_connection_options: Option<Json>,
        origin: Origin,
    }
    /// The one entry of `typedExtensionProtocolOptions` that istiod writes.
    TypedExtensionProtocolOptions {
        http as "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": Option<HttpProtocolOptions>,
    }
    /// `upstreams.http.v3.HttpProtocolOptions`: at most one of the two in the middle.
    HttpProtocolOptions {
        type_url as "@type": &'static str,
        common_http_protocol_options: Option<CommonHttpProtocolOptions>,
        explicit_http_config: Option<ExplicitHttpConfig>,
        use_downstream_protocol_config: Option<UseDownstreamProtocolConfig>,
        upstream_http_protocol_options: Option<UpstreamHttpProtocolOptions>,
        outlier_detection: Option<Json>,
    }
    /// `core.v3.HttpProtocolOptions`
    CommonHttpProtocolOptions {
        idle_timeout: Option<Str>,
        max_connection_duration: Option<Str>,
        max_requests_per_connection: Option<u32>,
    }
    /// `HttpProtocolOptions.ExplicitHttpConfig`: one of the two.
    ExplicitHttpConfig {
        http_protocol_options: Option<Http1ProtocolOptions>,
        http2_protocol_options as "http2ProtocolOptions": Option<Http2ProtocolOptions>,
    }
    /// `HttpProtocolOptions.UseDownstreamHttpConfig`
    UseDownstreamProtocolConfig {
        http_protocol_options: Option<Http1ProtocolOptions>,
        http2_protocol_options as "http2ProtocolOptions": Option<Http2ProtocolOptions>,
    }
    /// `core.v3.Http1ProtocolOptions`
    Http1ProtocolOptions {
        header_key_format: Option<Json>,
    }
    /// `core.v3.Http2ProtocolOptions`
    Http2ProtocolOptions {
        max_concurrent_streams: Option<u32>,
        connection_keepalive: Option<Json>,
        allow_connect: bool,
    }
    /// `core.v3.UpstreamHttpProtocolOptions`
    UpstreamHttpProtocolOptions {
        auto_sni: bool,
        auto_san_validation: bool,
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
        r#match: Option<BTreeMap<&'static str, &'static str>>,
        transport_socket: TransportSocket,
    }
}

impl Cluster {
    /// The settings for HTTP, which are made where there are none.
    pub fn http(&mut self) -> &mut HttpProtocolOptions {
        let options = self.typed_extension_protocol_options.get_or_insert_default();
        options.http.get_or_insert_with(|| HttpProtocolOptions {
            type_url: "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            ..HttpProtocolOptions::default()
        })
    }

    /// Whether it speaks HTTP/2, whatever the client speaks.
    pub fn is_http2(&self) -> bool {
        let http = self
            .typed_extension_protocol_options
            .as_ref()
            .and_then(|options| options.http.as_ref());
        let explicit = http.and_then(|http| http.explicit_http_config.as_ref());
        explicit.is_some_and(|explicit| explicit.http2_protocol_options.is_some())
    }
}

impl HttpProtocolOptions {
    /// Speaks HTTP/2.
    pub fn set_http2(&mut self) {
        self.use_downstream_protocol_config = None;
        self.explicit_http_config = Some(ExplicitHttpConfig {
            http2_protocol_options: Some(Http2ProtocolOptions::default()),
            ..ExplicitHttpConfig::default()
        });
    }

    /// Speaks HTTP/1.1.
    pub fn set_http1(&mut self) {
        self.use_downstream_protocol_config = None;
        self.explicit_http_config = Some(ExplicitHttpConfig {
            http_protocol_options: Some(Http1ProtocolOptions::default()),
            ..ExplicitHttpConfig::default()
        });
    }

    /// Speaks what the client speaks.
    pub fn set_downstream_protocol(&mut self) {
        self.explicit_http_config = None;
        self.use_downstream_protocol_config = Some(UseDownstreamProtocolConfig {
            http_protocol_options: Some(Http1ProtocolOptions::default()),
            http2_protocol_options: Some(Http2ProtocolOptions::default()),
        });
    }

    /// HTTP/1.1 where nothing else is said: Envoy wants one of them.
    pub fn complete(&mut self) {
        if self.explicit_http_config.is_none() && self.use_downstream_protocol_config.is_none() {
            self.set_http1();
        }
    }
}

impl CircuitBreakers {
    /// No limits.
    pub fn unlimited() -> Self {
        Self {
            thresholds: vec![Thresholds {
                max_connections: Some(u32::MAX),
                max_pending_requests: Some(u32::MAX),
                max_requests: Some(u32::MAX),
                max_retries: Some(u32::MAX),
                ..Thresholds::default()
            }],
        }
    }
}
