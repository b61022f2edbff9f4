//! `networking.istio.io` `DestinationRule`.

use std::iter;

use super::{ConnectionPoolSettings, PortSelector, WorkloadSelector};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Labels, Spanned, Text, Value};

record! {
    /// Host and how proxies connect to it.
    DestinationRule<'a> {
        host: Option<Text<'a>> = text("host");
        traffic_policy: Option<Box<TrafficPolicy<'a>>> = boxed("trafficPolicy", TrafficPolicy::decode);
        subsets: ThinVec<Subset<'a>> = list("subsets", Subset::decode);
        export_to: ThinVec<Text<'a>> = texts("exportTo");
        workload_selector: Option<Box<WorkloadSelector<'a>>> = boxed("workloadSelector", WorkloadSelector::decode);
    }
    /// Settings for connections to a destination.
    TrafficPolicy<'a> {
        load_balancer: Option<Box<LoadBalancerSettings<'a>>> = boxed("loadBalancer", LoadBalancerSettings::decode);
        connection_pool: Option<Box<ConnectionPoolSettings<'a>>> = boxed("connectionPool", ConnectionPoolSettings::decode);
        outlier_detection: Option<Box<OutlierDetection<'a>>> = boxed("outlierDetection", OutlierDetection::decode);
        tls: Option<Box<ClientTlsSettings<'a>>> = boxed("tls", ClientTlsSettings::decode);
        port_level_settings: ThinVec<PortTrafficPolicy<'a>> = list("portLevelSettings", PortTrafficPolicy::decode);
        tunnel: Option<Box<TunnelSettings<'a>>> = boxed("tunnel", TunnelSettings::decode);
        proxy_protocol: Option<Box<ProxyProtocol<'a>>> = boxed("proxyProtocol", ProxyProtocol::decode);
        retry_budget: Option<Box<RetryBudget<'a>>> = boxed("retryBudget", RetryBudget::decode);
        is_empty: bool = leaves_unset(&[
            "loadBalancer", "connectionPool", "outlierDetection", "tls", "portLevelSettings", "tunnel", "proxyProtocol", "retryBudget",
        ]);
    }
    /// How an endpoint is chosen.
    LoadBalancerSettings<'a> {
        simple: Option<Text<'a>> = text("simple");
        consistent_hash: Option<Box<ConsistentHashLb<'a>>> = boxed("consistentHash", ConsistentHashLb::decode);
        locality_lb_setting: Option<Box<LocalityLoadBalancerSetting<'a>>> = boxed("localityLbSetting", LocalityLoadBalancerSetting::decode);
        zone_aware_lb_setting: Option<Box<ZoneAwareLoadBalancerSetting<'a>>> = boxed("zoneAwareLbSetting", ZoneAwareLoadBalancerSetting::decode);
        warmup_duration_secs: Option<Text<'a>> = text("warmupDurationSecs");
        warmup: Option<Box<WarmupConfiguration<'a>>> = boxed("warmup", WarmupConfiguration::decode);
        backend_utilization: Option<Box<BackendUtilization<'a>>> = boxed("backendUtilization", BackendUtilization::decode);
    }
    /// What is hashed and how.
    ConsistentHashLb<'a> {
        http_header_name: Option<Text<'a>> = text("httpHeaderName");
        http_cookie: Option<Box<HttpCookie<'a>>> = boxed("httpCookie", HttpCookie::decode);
        use_source_ip: Option<Spanned<bool>> = boolean("useSourceIp");
        http_query_parameter_name: Option<Text<'a>> = text("httpQueryParameterName");
        ring_hash: Option<Box<RingHash>> = boxed("ringHash", RingHash::decode);
        maglev: Option<Box<MagLev>> = boxed("maglev", MagLev::decode);
        minimum_ring_size: Option<Spanned<i64>> = number("minimumRingSize");
    }
    /// The cookie that is hashed.
    HttpCookie<'a> {
        name: Option<Text<'a>> = text("name");
        path: Option<Text<'a>> = text("path");
        ttl: Option<Text<'a>> = text("ttl");
        attributes: ThinVec<Attribute<'a>> = list("attributes", Attribute::decode);
    }
    /// One attribute of the cookie.
    Attribute<'a> {
        name: Option<Text<'a>> = text("name");
        value: Option<Text<'a>> = text("value");
    }
    /// Settings of the ring.
    RingHash {
        minimum_ring_size: Option<Spanned<i64>> = number("minimumRingSize");
    }
    /// Settings of Maglev.
    MagLev {
        table_size: Option<Spanned<i64>> = number("tableSize");
    }
    /// Preference for near endpoints; distribute, failover and failoverPriority.
    LocalityLoadBalancerSetting<'a> {
        distribute: ThinVec<Distribute<'a>> = list("distribute", Distribute::decode);
        failover: ThinVec<LocalityLoadBalancerSettingFailover<'a>> = list("failover", LocalityLoadBalancerSettingFailover::decode);
        failover_priority: ThinVec<Text<'a>> = texts("failoverPriority");
        enabled: Option<Spanned<bool>> = boolean("enabled");
    }
    /// Shares of the traffic from one locality.
    Distribute<'a> {
        from: Option<Text<'a>> = text("from");
        to: Option<Spanned<Value<'a>>> = value("to");
    }
    /// Where traffic of a region goes when it fails.
    LocalityLoadBalancerSettingFailover<'a> {
        from: Option<Text<'a>> = text("from");
        to: Option<Text<'a>> = text("to");
    }
    /// Keeps traffic in the client's zone as far as capacity allows.
    ZoneAwareLoadBalancerSetting<'a> {
        enabled: Option<Spanned<bool>> = boolean("enabled");
        failover: ThinVec<ZoneAwareLoadBalancerSettingFailover<'a>> = list("failover", ZoneAwareLoadBalancerSettingFailover::decode);
        failover_priority: ThinVec<Text<'a>> = texts("failoverPriority");
        min_cluster_size: Option<Spanned<i64>> = number("minClusterSize");
    }
    /// Where traffic of a region goes when it fails.
    ZoneAwareLoadBalancerSettingFailover<'a> {
        from: Option<Text<'a>> = text("from");
        to: Option<Text<'a>> = text("to");
    }
    /// Growing share of traffic for new endpoints.
    WarmupConfiguration<'a> {
        duration: Option<Text<'a>> = text("duration");
        minimum_percent: Option<Spanned<f64>> = decimal("minimumPercent");
        aggression: Option<Spanned<f64>> = decimal("aggression");
    }
    /// Weights from the load that endpoints report.
    BackendUtilization<'a> {
        error_utilization_penalty_percent: Option<Spanned<i64>> = number("errorUtilizationPenaltyPercent");
        metric_names_for_computing_utilization: ThinVec<Text<'a>> = texts("metricNamesForComputingUtilization");
        weight_expiration_period: Option<Text<'a>> = text("weightExpirationPeriod");
        weight_stabilization_period: Option<Text<'a>> = text("weightStabilizationPeriod");
        weight_update_period: Option<Text<'a>> = text("weightUpdatePeriod");
    }
    /// Takes endpoints that fail out of the pool for a while.
    OutlierDetection<'a> {
        consecutive_errors: Option<Spanned<i64>> = number("consecutiveErrors");
        split_external_local_origin_errors: Option<Spanned<Value<'a>>> = value("splitExternalLocalOriginErrors");
        consecutive_local_origin_failures: Option<Spanned<i64>> = number("consecutiveLocalOriginFailures");
        consecutive_gateway_errors: Option<Spanned<i64>> = number("consecutiveGatewayErrors");
        consecutive5xx_errors: Option<Spanned<i64>> = number("consecutive5xxErrors");
        interval: Option<Text<'a>> = text("interval");
        base_ejection_time: Option<Text<'a>> = text("baseEjectionTime");
        max_ejection_percent: Option<Spanned<i64>> = number("maxEjectionPercent");
        min_health_percent: Option<Spanned<i64>> = number("minHealthPercent");
        outlier_detection_http_error_codes: ThinVec<Spanned<i64>> = numbers("outlierDetectionHttpErrorCodes");
    }
    /// TLS of the client side.
    ClientTlsSettings<'a> {
        mode: Option<Text<'a>> = text("mode");
        client_certificate: Option<Text<'a>> = text("clientCertificate");
        private_key: Option<Text<'a>> = text("privateKey");
        ca_certificates: Option<Text<'a>> = text("caCertificates");
        credential_name: Option<Text<'a>> = text("credentialName");
        subject_alt_names: ThinVec<Text<'a>> = texts("subjectAltNames");
        sni: Option<Text<'a>> = text("sni");
        insecure_skip_verify: Option<Spanned<bool>> = boolean("insecureSkipVerify");
        ca_crl: Option<Text<'a>> = text("caCrl");
    }
    /// Settings for one port; they replace those of the destination.
    PortTrafficPolicy<'a> {
        port: Option<Box<PortSelector>> = boxed("port", PortSelector::decode);
        load_balancer: Option<Box<LoadBalancerSettings<'a>>> = boxed("loadBalancer", LoadBalancerSettings::decode);
        connection_pool: Option<Box<ConnectionPoolSettings<'a>>> = boxed("connectionPool", ConnectionPoolSettings::decode);
        outlier_detection: Option<Box<OutlierDetection<'a>>> = boxed("outlierDetection", OutlierDetection::decode);
        tls: Option<Box<ClientTlsSettings<'a>>> = boxed("tls", ClientTlsSettings::decode);
        is_empty: bool = leaves_unset(&["loadBalancer", "connectionPool", "outlierDetection", "tls"]);
    }
    /// Proxy that TCP and TLS routes go through.
    TunnelSettings<'a> {
        protocol: Option<Text<'a>> = text("protocol");
        target_host: Option<Text<'a>> = text("targetHost");
        target_port: Option<Spanned<i64>> = number("targetPort");
    }
    /// PROXY header before the data.
    ProxyProtocol<'a> {
        version: Option<Text<'a>> = text("version");
    }
    /// Bounds retries by the number of active requests.
    RetryBudget<'a> {
        percent: Option<Spanned<f64>> = decimal("percent");
        min_retry_concurrency: Option<Spanned<i64>> = number("minRetryConcurrency");
        budget_interval: Option<Text<'a>> = text("budgetInterval");
    }
    /// Named part of a service.
    Subset<'a> {
        name: Option<Text<'a>> = text("name");
        labels: Labels<'a> = labels("labels");
        traffic_policy: Option<Box<TrafficPolicy<'a>>> = boxed("trafficPolicy", TrafficPolicy::decode);
    }
}

/// Settings for connections at one level: all ports of a host, all ports of a subset, or a single port of either.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct PolicyLevel<'m, 'a> {
    pub load_balancer: Option<&'m LoadBalancerSettings<'a>>,
    pub connection_pool: Option<&'m ConnectionPoolSettings<'a>>,
    pub outlier_detection: Option<&'m OutlierDetection<'a>>,
    pub tls: Option<&'m ClientTlsSettings<'a>>,
}

impl<'a> DestinationRule<'a> {
    /// The policies of the host and of its subsets.
    pub fn traffic_policies(&self) -> impl Iterator<Item = &TrafficPolicy<'a>> {
        let subsets = self
            .subsets
            .iter()
            .filter_map(|subset| subset.traffic_policy.as_deref());
        self.traffic_policy.as_deref().into_iter().chain(subsets)
    }

    /// All levels of all policies.
    pub fn policy_levels(&self) -> impl Iterator<Item = PolicyLevel<'_, 'a>> {
        self.traffic_policies()
            .flat_map(|policy| iter::once(policy.level()).chain(policy.port_levels()))
    }
}

impl<'a> TrafficPolicy<'a> {
    /// What it sets for all ports.
    pub fn level(&self) -> PolicyLevel<'_, 'a> {
        PolicyLevel {
            load_balancer: self.load_balancer.as_deref(),
            connection_pool: self.connection_pool.as_deref(),
            outlier_detection: self.outlier_detection.as_deref(),
            tls: self.tls.as_deref(),
        }
    }

    /// What it sets for single ports.
    pub fn port_levels(&self) -> impl Iterator<Item = PolicyLevel<'_, 'a>> {
        self.port_level_settings.iter().map(|port| PolicyLevel {
            load_balancer: port.load_balancer.as_deref(),
            connection_pool: port.connection_pool.as_deref(),
            outlier_detection: port.outlier_detection.as_deref(),
            tls: port.tls.as_deref(),
        })
    }
}
