//! The mesh configuration: a file, or the key `mesh` of the ConfigMap `istio`.

use thin_vec::ThinVec;

use super::istio::{
    ClientTlsSettings, ConnectionPoolSettings, Environment, HttpRetry, Literal, LocalityLoadBalancerSetting,
    OutlierDetection, ProxyImage, ReadinessProbe, RequestHeader, TcpKeepalive, ZoneAwareLoadBalancerSetting,
};
use crate::model::record::record;
use crate::model::{Labels, Spanned, Text, Value};
use crate::schema::{self, Violation};
use crate::source::{SourceFile, Span};
use crate::values::minor::Minor;
use crate::yaml;

record! {
    /// Settings of the whole mesh.
    MeshConfig<'a> {
        proxy_listen_port: Option<Spanned<i64>> = number("proxyListenPort");
        proxy_inbound_listen_port: Option<Spanned<i64>> = number("proxyInboundListenPort");
        proxy_http_port: Option<Spanned<i64>> = number("proxyHttpPort");
        connect_timeout: Option<Text<'a>> = text("connectTimeout");
        hbone_idle_timeout: Option<Text<'a>> = text("hboneIdleTimeout");
        protocol_detection_timeout: Option<Text<'a>> = text("protocolDetectionTimeout");
        tcp_keepalive: Option<Box<TcpKeepalive<'a>>> = boxed("tcpKeepalive", TcpKeepalive::decode);
        ingress_class: Option<Text<'a>> = text("ingressClass");
        ingress_service: Option<Text<'a>> = text("ingressService");
        ingress_controller_mode: Option<Text<'a>> = text("ingressControllerMode");
        ingress_selector: Option<Text<'a>> = text("ingressSelector");
        enable_tracing: Option<Spanned<bool>> = boolean("enableTracing");
        access_log_file: Option<Text<'a>> = text("accessLogFile");
        access_log_format: Option<Text<'a>> = text("accessLogFormat");
        access_log_encoding: Option<Text<'a>> = text("accessLogEncoding");
        enable_envoy_access_log_service: Option<Spanned<bool>> = boolean("enableEnvoyAccessLogService");
        disable_envoy_listener_log: Option<Spanned<bool>> = boolean("disableEnvoyListenerLog");
        default_config: Option<Box<ProxyConfig<'a>>> = boxed("defaultConfig", ProxyConfig::decode);
        outbound_traffic_policy: Option<Box<OutboundTrafficPolicy<'a>>> = boxed("outboundTrafficPolicy", OutboundTrafficPolicy::decode);
        inbound_traffic_policy: Option<Box<InboundTrafficPolicy<'a>>> = boxed("inboundTrafficPolicy", InboundTrafficPolicy::decode);
        config_sources: ThinVec<ConfigSource<'a>> = list("configSources", ConfigSource::decode);
        enable_auto_mtls: Option<Spanned<bool>> = boolean("enableAutoMtls");
        trust_domain: Option<Text<'a>> = text("trustDomain");
        trust_domain_aliases: ThinVec<Text<'a>> = texts("trustDomainAliases");
        ca_certificates: ThinVec<CertificateData<'a>> = list("caCertificates", CertificateData::decode);
        default_service_export_to: ThinVec<Text<'a>> = texts("defaultServiceExportTo");
        default_virtual_service_export_to: ThinVec<Text<'a>> = texts("defaultVirtualServiceExportTo");
        default_destination_rule_export_to: ThinVec<Text<'a>> = texts("defaultDestinationRuleExportTo");
        root_namespace: Option<Text<'a>> = text("rootNamespace");
        locality_lb_setting: Option<Box<LocalityLoadBalancerSetting<'a>>> = boxed("localityLbSetting", LocalityLoadBalancerSetting::decode);
        zone_aware_lb_setting: Option<Box<ZoneAwareLoadBalancerSetting<'a>>> = boxed("zoneAwareLbSetting", ZoneAwareLoadBalancerSetting::decode);
        dns_refresh_rate: Option<Text<'a>> = text("dnsRefreshRate");
        h2_upgrade_policy: Option<Text<'a>> = text("h2UpgradePolicy");
        inbound_cluster_stat_name: Option<Text<'a>> = text("inboundClusterStatName");
        outbound_cluster_stat_name: Option<Text<'a>> = text("outboundClusterStatName");
        certificates: ThinVec<Certificate<'a>> = list("certificates", Certificate::decode);
        service_settings: ThinVec<ServiceSettings<'a>> = list("serviceSettings", ServiceSettings::decode);
        service_scope_configs: ThinVec<ServiceScopeConfigs<'a>> = list("serviceScopeConfigs", ServiceScopeConfigs::decode);
        enable_prometheus_merge: Option<Spanned<bool>> = boolean("enablePrometheusMerge");
        verify_certificate_at_client: Option<Spanned<bool>> = boolean("verifyCertificateAtClient");
        ca: Option<Box<Ca<'a>>> = boxed("ca", Ca::decode);
        extension_providers: ThinVec<ExtensionProvider<'a>> = list("extensionProviders", ExtensionProvider::decode);
        default_providers: Option<Box<DefaultProviders<'a>>> = boxed("defaultProviders", DefaultProviders::decode);
        discovery_selectors: ThinVec<LabelSelector<'a>> = list("discoverySelectors", LabelSelector::decode);
        path_normalization: Option<Box<ProxyPathNormalization<'a>>> = boxed("pathNormalization", ProxyPathNormalization::decode);
        default_http_retry_policy: Option<Box<HttpRetry<'a>>> = boxed("defaultHttpRetryPolicy", HttpRetry::decode);
        default_inbound_http_retry_policy: Option<Box<HttpRetry<'a>>> = boxed("defaultInboundHttpRetryPolicy", HttpRetry::decode);
        mesh_mtls: Option<Box<TlsConfig<'a>>> = boxed("meshMTLS", TlsConfig::decode);
        tls_defaults: Option<Box<TlsConfig<'a>>> = boxed("tlsDefaults", TlsConfig::decode);
        default_traffic_policy: Option<Box<DefaultTrafficPolicy<'a>>> = boxed("defaultTrafficPolicy", DefaultTrafficPolicy::decode);
        service_entry_visibility: Option<Box<ServiceEntryVisibility<'a>>> = boxed("serviceEntryVisibility", ServiceEntryVisibility::decode);
    }
    /// The networks of a mesh and how they reach each other.
    MeshNetworks<'a> {
        networks: ThinVec<(Text<'a>, Network<'a>)> = map("networks", Network::decode);
    }
    /// A network: its endpoints reach each other directly, others come through its gateways.
    Network<'a> {
        endpoints: ThinVec<NetworkEndpoints<'a>> = list("endpoints", NetworkEndpoints::decode);
        gateways: ThinVec<NetworkGateway<'a>> = list("gateways", NetworkGateway::decode);
    }
    /// The endpoints of a network: those of a range of addresses, or of a cluster.
    NetworkEndpoints<'a> {
        from_cidr: Option<Text<'a>> = text("fromCidr");
        from_registry: Option<Text<'a>> = text("fromRegistry");
    }
    /// A gateway of a network.
    NetworkGateway<'a> {
        registry_service_name: Option<Text<'a>> = text("registryServiceName");
        address: Option<Text<'a>> = text("address");
        port: Option<Spanned<i64>> = number("port");
        locality: Option<Text<'a>> = text("locality");
    }
    /// Settings of a proxy; the annotation proxy.istio.io/config has the same form.
    ProxyConfig<'a> {
        config_path: Option<Text<'a>> = text("configPath");
        binary_path: Option<Text<'a>> = text("binaryPath");
        service_cluster: Option<Text<'a>> = text("serviceCluster");
        tracing_service_name: Option<Text<'a>> = text("tracingServiceName");
        drain_duration: Option<Text<'a>> = text("drainDuration");
        discovery_address: Option<Text<'a>> = text("discoveryAddress");
        discovery_refresh_delay: Option<Text<'a>> = text("discoveryRefreshDelay");
        zipkin_address: Option<Text<'a>> = text("zipkinAddress");
        statsd_udp_address: Option<Text<'a>> = text("statsdUdpAddress");
        envoy_metrics_service_address: Option<Text<'a>> = text("envoyMetricsServiceAddress");
        proxy_admin_port: Option<Spanned<i64>> = number("proxyAdminPort");
        availability_zone: Option<Text<'a>> = text("availabilityZone");
        control_plane_auth_policy: Option<Text<'a>> = text("controlPlaneAuthPolicy");
        custom_config_file: Option<Text<'a>> = text("customConfigFile");
        stat_name_length: Option<Spanned<i64>> = number("statNameLength");
        concurrency: Option<Spanned<i64>> = number("concurrency");
        proxy_bootstrap_template_path: Option<Text<'a>> = text("proxyBootstrapTemplatePath");
        interception_mode: Option<Text<'a>> = text("interceptionMode");
        tracing: Option<Box<Tracing<'a>>> = boxed("tracing", Tracing::decode);
        sds: Option<Box<Sds<'a>>> = boxed("sds", Sds::decode);
        envoy_access_log_service: Option<Box<RemoteService<'a>>> = boxed("envoyAccessLogService", RemoteService::decode);
        envoy_metrics_service: Option<Box<RemoteService<'a>>> = boxed("envoyMetricsService", RemoteService::decode);
        proxy_metadata: Labels<'a> = labels("proxyMetadata");
        runtime_values: Labels<'a> = labels("runtimeValues");
        status_port: Option<Spanned<i64>> = number("statusPort");
        extra_stat_tags: ThinVec<Text<'a>> = texts("extraStatTags");
        gateway_topology: Option<Box<Topology<'a>>> = boxed("gatewayTopology", Topology::decode);
        termination_drain_duration: Option<Text<'a>> = text("terminationDrainDuration");
        mesh_id: Option<Text<'a>> = text("meshId");
        readiness_probe: Option<Box<ReadinessProbe<'a>>> = boxed("readinessProbe", ReadinessProbe::decode);
        proxy_stats_matcher: Option<Box<ProxyStatsMatcher<'a>>> = boxed("proxyStatsMatcher", ProxyStatsMatcher::decode);
        hold_application_until_proxy_starts: Option<Spanned<bool>> = boolean("holdApplicationUntilProxyStarts");
        ca_certificates_pem: ThinVec<Text<'a>> = texts("caCertificatesPem");
        image: Option<Box<ProxyImage<'a>>> = boxed("image", ProxyImage::decode);
        private_key_provider: Option<Box<PrivateKeyProvider<'a>>> = boxed("privateKeyProvider", PrivateKeyProvider::decode);
        proxy_headers: Option<Box<ProxyHeaders<'a>>> = boxed("proxyHeaders", ProxyHeaders::decode);
        file_flush_interval: Option<Text<'a>> = text("fileFlushInterval");
        file_flush_min_size_kb: Option<Spanned<i64>> = number("fileFlushMinSizeKb");
        stats_compression: Option<Spanned<bool>> = boolean("statsCompression");
        connection_settings: Option<Box<ConnectionSettings<'a>>> = boxed("connectionSettings", ConnectionSettings::decode);
    }
    /// Tracing through the old settings; one tracer.
    Tracing<'a> {
        zipkin: Option<Box<Zipkin<'a>>> = boxed("zipkin", Zipkin::decode);
        lightstep: Option<Box<Lightstep<'a>>> = boxed("lightstep", Lightstep::decode);
        datadog: Option<Box<Datadog<'a>>> = boxed("datadog", Datadog::decode);
        stackdriver: Option<Box<Stackdriver>> = boxed("stackdriver", Stackdriver::decode);
        open_census_agent: Option<Box<OpenCensusAgent<'a>>> = boxed("openCensusAgent", OpenCensusAgent::decode);
        custom_tags: ThinVec<(Text<'a>, CustomTag<'a>)> = map("customTags", CustomTag::decode);
        max_path_tag_length: Option<Spanned<i64>> = number("maxPathTagLength");
        sampling: Option<Spanned<f64>> = decimal("sampling");
        tls_settings: Option<Box<ClientTlsSettings<'a>>> = boxed("tlsSettings", ClientTlsSettings::decode);
        enable_istio_tags: Option<Spanned<bool>> = boolean("enableIstioTags");
    }
    /// Zipkin.
    Zipkin<'a> {
        address: Option<Text<'a>> = text("address");
    }
    /// Lightstep.
    Lightstep<'a> {
        address: Option<Text<'a>> = text("address");
        access_token: Option<Text<'a>> = text("accessToken");
    }
    /// Datadog.
    Datadog<'a> {
        address: Option<Text<'a>> = text("address");
    }
    /// Google Cloud tracing.
    Stackdriver {
        debug: Option<Spanned<bool>> = boolean("debug");
        max_number_of_attributes: Option<Spanned<i64>> = number("maxNumberOfAttributes");
        max_number_of_annotations: Option<Spanned<i64>> = number("maxNumberOfAnnotations");
        max_number_of_message_events: Option<Spanned<i64>> = number("maxNumberOfMessageEvents");
    }
    /// OpenCensus agent.
    OpenCensusAgent<'a> {
        address: Option<Text<'a>> = text("address");
        context: ThinVec<Text<'a>> = texts("context");
    }
    /// Value of a tag; one of the kinds.
    CustomTag<'a> {
        literal: Option<Box<Literal<'a>>> = boxed("literal", Literal::decode);
        environment: Option<Box<Environment<'a>>> = boxed("environment", Environment::decode);
        header: Option<Box<RequestHeader<'a>>> = boxed("header", RequestHeader::decode);
    }
    /// Old settings for secrets.
    Sds<'a> {
        enabled: Option<Spanned<bool>> = boolean("enabled");
        k8s_sa_jwt_path: Option<Text<'a>> = text("k8sSaJwtPath");
    }
    /// A gRPC service.
    RemoteService<'a> {
        address: Option<Text<'a>> = text("address");
        tls_settings: Option<Box<ClientTlsSettings<'a>>> = boxed("tlsSettings", ClientTlsSettings::decode);
        tcp_keepalive: Option<Box<TcpKeepalive<'a>>> = boxed("tcpKeepalive", TcpKeepalive::decode);
    }
    /// What stands in front of a gateway.
    Topology<'a> {
        num_trusted_proxies: Option<Spanned<i64>> = number("numTrustedProxies");
        forward_client_cert_details: Option<Text<'a>> = text("forwardClientCertDetails");
        proxy_protocol: Option<Spanned<Value<'a>>> = value("proxyProtocol");
    }
    /// Envoy statistics that are kept besides the usual ones.
    ProxyStatsMatcher<'a> {
        inclusion_prefixes: ThinVec<Text<'a>> = texts("inclusionPrefixes");
        inclusion_suffixes: ThinVec<Text<'a>> = texts("inclusionSuffixes");
        inclusion_regexps: ThinVec<Text<'a>> = texts("inclusionRegexps");
    }
    /// Hardware that computes with private keys; one of them.
    PrivateKeyProvider<'a> {
        cryptomb: Option<Box<CryptoMb<'a>>> = boxed("cryptomb", CryptoMb::decode);
        qat: Option<Box<Qat<'a>>> = boxed("qat", Qat::decode);
    }
    /// Intel CryptoMB.
    CryptoMb<'a> {
        poll_delay: Option<Text<'a>> = text("pollDelay");
        fallback: Option<Spanned<bool>> = boolean("fallback");
    }
    /// Intel QuickAssist.
    Qat<'a> {
        poll_delay: Option<Text<'a>> = text("pollDelay");
        fallback: Option<Spanned<bool>> = boolean("fallback");
    }
    /// Headers that the proxy adds or passes.
    ProxyHeaders<'a> {
        forwarded_client_cert: Option<Text<'a>> = text("forwardedClientCert");
        set_current_client_cert_details: Option<Box<SetCurrentClientCertDetails>> = boxed("setCurrentClientCertDetails", SetCurrentClientCertDetails::decode);
        request_id: Option<Box<RequestId>> = boxed("requestId", RequestId::decode);
        server: Option<Box<Server<'a>>> = boxed("server", Server::decode);
        attempt_count: Option<Box<AttemptCount>> = boxed("attemptCount", AttemptCount::decode);
        envoy_debug_headers: Option<Box<EnvoyDebugHeaders>> = boxed("envoyDebugHeaders", EnvoyDebugHeaders::decode);
        metadata_exchange_headers: Option<Box<MetadataExchangeHeaders<'a>>> = boxed("metadataExchangeHeaders", MetadataExchangeHeaders::decode);
        preserve_http1_header_case: Option<Spanned<bool>> = boolean("preserveHttp1HeaderCase");
        x_forwarded_host: Option<Box<XForwardedHost>> = boxed("xForwardedHost", XForwardedHost::decode);
        x_forwarded_port: Option<Box<XForwardedPort>> = boxed("xForwardedPort", XForwardedPort::decode);
    }
    /// Parts of the client certificate.
    SetCurrentClientCertDetails {
        subject: Option<Spanned<bool>> = boolean("subject");
        cert: Option<Spanned<bool>> = boolean("cert");
        chain: Option<Spanned<bool>> = boolean("chain");
        dns: Option<Spanned<bool>> = boolean("dns");
        uri: Option<Spanned<bool>> = boolean("uri");
    }
    /// Header X-Request-Id.
    RequestId {
        disabled: Option<Spanned<bool>> = boolean("disabled");
    }
    /// Header Server.
    Server<'a> {
        disabled: Option<Spanned<bool>> = boolean("disabled");
        value: Option<Text<'a>> = text("value");
    }
    /// Header X-Envoy-Attempt-Count.
    AttemptCount {
        disabled: Option<Spanned<bool>> = boolean("disabled");
    }
    /// Headers X-Envoy-*.
    EnvoyDebugHeaders {
        disabled: Option<Spanned<bool>> = boolean("disabled");
    }
    /// Headers by which proxies tell each other who they are.
    MetadataExchangeHeaders<'a> {
        mode: Option<Text<'a>> = text("mode");
    }
    /// Header X-Forwarded-Host.
    XForwardedHost {
        enabled: Option<Spanned<bool>> = boolean("enabled");
    }
    /// Header X-Forwarded-Port.
    XForwardedPort {
        enabled: Option<Spanned<bool>> = boolean("enabled");
    }
    /// Buffers, timeouts and limits of connections from clients.
    ConnectionSettings<'a> {
        profile: Option<Text<'a>> = text("profile");
        listener_per_connection_buffer_limit_bytes: Option<Spanned<i64>> = number("listenerPerConnectionBufferLimitBytes");
        cluster_per_connection_buffer_limit_bytes: Option<Spanned<i64>> = number("clusterPerConnectionBufferLimitBytes");
        http_idle_timeout: Option<Text<'a>> = text("httpIdleTimeout");
        http_max_connection_duration: Option<Text<'a>> = text("httpMaxConnectionDuration");
        http_drain_timeout: Option<Text<'a>> = text("httpDrainTimeout");
        http_request_timeout: Option<Text<'a>> = text("httpRequestTimeout");
        http_request_headers_timeout: Option<Text<'a>> = text("httpRequestHeadersTimeout");
        http_stream_idle_timeout: Option<Text<'a>> = text("httpStreamIdleTimeout");
        http_max_stream_duration: Option<Text<'a>> = text("httpMaxStreamDuration");
        http_max_concurrent_streams: Option<Spanned<i64>> = number("httpMaxConcurrentStreams");
        http2_initial_stream_window_size: Option<Spanned<i64>> = number("http2InitialStreamWindowSize");
        http2_initial_connection_window_size: Option<Spanned<i64>> = number("http2InitialConnectionWindowSize");
        http_headers_with_underscores_action: Option<Text<'a>> = text("httpHeadersWithUnderscoresAction");
        http_merge_slashes: Option<Spanned<bool>> = boolean("httpMergeSlashes");
        http_path_with_escaped_slashes_action: Option<Text<'a>> = text("httpPathWithEscapedSlashesAction");
        listener_connection_limit: Option<Spanned<i64>> = number("listenerConnectionLimit");
        global_downstream_connection_limit: Option<Spanned<i64>> = number("globalDownstreamConnectionLimit");
    }
    /// Traffic to hosts that are not in the registry.
    OutboundTrafficPolicy<'a> {
        mode: Option<Text<'a>> = text("mode");
        tls: Option<Box<ClientTlsSettings<'a>>> = boxed("tls", ClientTlsSettings::decode);
    }
    /// Incoming traffic for ports that no Service names.
    InboundTrafficPolicy<'a> {
        mode: Option<Text<'a>> = text("mode");
    }
    /// A source of configuration.
    ConfigSource<'a> {
        address: Option<Text<'a>> = text("address");
        tls_settings: Option<Box<ClientTlsSettings<'a>>> = boxed("tlsSettings", ClientTlsSettings::decode);
        subscribed_resources: ThinVec<Text<'a>> = texts("subscribedResources");
    }
    /// CA certificates, given or fetched.
    CertificateData<'a> {
        pem: Option<Text<'a>> = text("pem");
        spiffe_bundle_url: Option<Text<'a>> = text("spiffeBundleUrl");
        cert_signers: ThinVec<Text<'a>> = texts("certSigners");
        trust_domains: ThinVec<Text<'a>> = texts("trustDomains");
    }
    /// Certificate of a control plane component.
    Certificate<'a> {
        secret_name: Option<Text<'a>> = text("secretName");
        dns_names: ThinVec<Text<'a>> = texts("dnsNames");
    }
    /// Settings for a group of hosts.
    ServiceSettings<'a> {
        settings: Option<Box<Settings>> = boxed("settings", Settings::decode);
        hosts: ThinVec<Text<'a>> = texts("hosts");
    }
    /// The settings.
    Settings {
        cluster_local: Option<Spanned<bool>> = boolean("clusterLocal");
    }
    /// Services and who sees them.
    ServiceScopeConfigs<'a> {
        namespace_selector: Option<Box<LabelSelector<'a>>> = boxed("namespaceSelector", LabelSelector::decode);
        services_selector: Option<Box<LabelSelector<'a>>> = boxed("servicesSelector", LabelSelector::decode);
        scope: Option<Text<'a>> = text("scope");
    }
    /// Selects by labels; both parts must hold.
    LabelSelector<'a> {
        match_labels: Labels<'a> = labels("matchLabels");
        match_expressions: ThinVec<LabelSelectorRequirement<'a>> = list("matchExpressions", LabelSelectorRequirement::decode);
    }
    /// One comparison of a label.
    LabelSelectorRequirement<'a> {
        key: Option<Text<'a>> = text("key");
        operator: Option<Text<'a>> = text("operator");
        values: ThinVec<Text<'a>> = texts("values");
    }
    /// CA that istiod asks to sign.
    Ca<'a> {
        address: Option<Text<'a>> = text("address");
        tls_settings: Option<Box<ClientTlsSettings<'a>>> = boxed("tlsSettings", ClientTlsSettings::decode);
        request_timeout: Option<Text<'a>> = text("requestTimeout");
        istiod_side: Option<Spanned<bool>> = boolean("istiodSide");
    }
    /// A named provider; one kind.
    ExtensionProvider<'a> {
        name: Option<Text<'a>> = text("name");
        is_bare: bool = holds_only("name");
        envoy_ext_authz_http: Option<Box<EnvoyExternalAuthorizationHttpProvider<'a>>> = boxed("envoyExtAuthzHttp", EnvoyExternalAuthorizationHttpProvider::decode);
        envoy_ext_authz_grpc: Option<Box<EnvoyExternalAuthorizationGrpcProvider<'a>>> = boxed("envoyExtAuthzGrpc", EnvoyExternalAuthorizationGrpcProvider::decode);
        zipkin: Option<Box<ZipkinTracingProvider<'a>>> = boxed("zipkin", ZipkinTracingProvider::decode);
        lightstep: Option<Box<LightstepTracingProvider<'a>>> = boxed("lightstep", LightstepTracingProvider::decode);
        datadog: Option<Box<DatadogTracingProvider<'a>>> = boxed("datadog", DatadogTracingProvider::decode);
        stackdriver: Option<Box<StackdriverProvider<'a>>> = boxed("stackdriver", StackdriverProvider::decode);
        opencensus: Option<Box<OpenCensusAgentTracingProvider<'a>>> = boxed("opencensus", OpenCensusAgentTracingProvider::decode);
        skywalking: Option<Box<SkyWalkingTracingProvider<'a>>> = boxed("skywalking", SkyWalkingTracingProvider::decode);
        opentelemetry: Option<Box<OpenTelemetryTracingProvider<'a>>> = boxed("opentelemetry", OpenTelemetryTracingProvider::decode);
        prometheus: Option<Spanned<Value<'a>>> = value("prometheus");
        envoy_file_access_log: Option<Box<EnvoyFileAccessLogProvider<'a>>> = boxed("envoyFileAccessLog", EnvoyFileAccessLogProvider::decode);
        envoy_http_als: Option<Box<EnvoyHttpGrpcV3LogProvider<'a>>> = boxed("envoyHttpAls", EnvoyHttpGrpcV3LogProvider::decode);
        envoy_tcp_als: Option<Box<EnvoyTcpGrpcV3LogProvider<'a>>> = boxed("envoyTcpAls", EnvoyTcpGrpcV3LogProvider::decode);
        envoy_otel_als: Option<Box<EnvoyOpenTelemetryLogProvider<'a>>> = boxed("envoyOtelAls", EnvoyOpenTelemetryLogProvider::decode);
        sds: Option<Box<SdsProvider<'a>>> = boxed("sds", SdsProvider::decode);
    }
    /// External authorizer over HTTP.
    EnvoyExternalAuthorizationHttpProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        timeout: Option<Text<'a>> = text("timeout");
        path_prefix: Option<Text<'a>> = text("pathPrefix");
        fail_open: Option<Spanned<bool>> = boolean("failOpen");
        clear_route_cache: Option<Spanned<bool>> = boolean("clearRouteCache");
        status_on_error: Option<Text<'a>> = text("statusOnError");
        include_headers_in_check: ThinVec<Text<'a>> = texts("includeHeadersInCheck");
        include_request_headers_in_check: ThinVec<Text<'a>> = texts("includeRequestHeadersInCheck");
        include_additional_headers_in_check: Labels<'a> = labels("includeAdditionalHeadersInCheck");
        include_request_body_in_check: Option<Box<EnvoyExternalAuthorizationRequestBody>> = boxed("includeRequestBodyInCheck", EnvoyExternalAuthorizationRequestBody::decode);
        headers_to_upstream_on_allow: ThinVec<Text<'a>> = texts("headersToUpstreamOnAllow");
        headers_to_downstream_on_deny: ThinVec<Text<'a>> = texts("headersToDownstreamOnDeny");
        headers_to_downstream_on_allow: ThinVec<Text<'a>> = texts("headersToDownstreamOnAllow");
    }
    /// How much of the body is sent.
    EnvoyExternalAuthorizationRequestBody {
        max_request_bytes: Option<Spanned<i64>> = number("maxRequestBytes");
        allow_partial_message: Option<Spanned<bool>> = boolean("allowPartialMessage");
        pack_as_bytes: Option<Spanned<bool>> = boolean("packAsBytes");
    }
    /// External authorizer over gRPC.
    EnvoyExternalAuthorizationGrpcProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        timeout: Option<Text<'a>> = text("timeout");
        fail_open: Option<Spanned<bool>> = boolean("failOpen");
        clear_route_cache: Option<Spanned<bool>> = boolean("clearRouteCache");
        status_on_error: Option<Text<'a>> = text("statusOnError");
        include_request_body_in_check: Option<Box<EnvoyExternalAuthorizationRequestBody>> = boxed("includeRequestBodyInCheck", EnvoyExternalAuthorizationRequestBody::decode);
    }
    /// Zipkin tracer.
    ZipkinTracingProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        max_tag_length: Option<Spanned<i64>> = number("maxTagLength");
        enable64bit_trace_id: Option<Spanned<bool>> = boolean("enable64bitTraceId");
        path: Option<Text<'a>> = text("path");
        trace_context_option: Option<Text<'a>> = text("traceContextOption");
        timeout: Option<Text<'a>> = text("timeout");
        headers: ThinVec<MeshConfigExtensionProviderHttpHeader<'a>> = list("headers", MeshConfigExtensionProviderHttpHeader::decode);
    }
    /// A header with a value from text or environment.
    MeshConfigExtensionProviderHttpHeader<'a> {
        name: Option<Text<'a>> = text("name");
        value: Option<Text<'a>> = text("value");
        env_name: Option<Text<'a>> = text("envName");
    }
    /// Lightstep tracer.
    LightstepTracingProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        access_token: Option<Text<'a>> = text("accessToken");
        max_tag_length: Option<Spanned<i64>> = number("maxTagLength");
    }
    /// Datadog tracer.
    DatadogTracingProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        max_tag_length: Option<Spanned<i64>> = number("maxTagLength");
    }
    /// Google Cloud tracing, metrics and logs.
    StackdriverProvider<'a> {
        debug: Option<Spanned<bool>> = boolean("debug");
        max_number_of_attributes: Option<Spanned<i64>> = number("maxNumberOfAttributes");
        max_number_of_annotations: Option<Spanned<i64>> = number("maxNumberOfAnnotations");
        max_number_of_message_events: Option<Spanned<i64>> = number("maxNumberOfMessageEvents");
        max_tag_length: Option<Spanned<i64>> = number("maxTagLength");
        logging: Option<Box<Logging<'a>>> = boxed("logging", Logging::decode);
    }
    /// Settings of logs.
    Logging<'a> {
        labels: Labels<'a> = labels("labels");
    }
    /// OpenCensus tracer.
    OpenCensusAgentTracingProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        context: ThinVec<Text<'a>> = texts("context");
        max_tag_length: Option<Spanned<i64>> = number("maxTagLength");
    }
    /// SkyWalking tracer.
    SkyWalkingTracingProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        access_token: Option<Text<'a>> = text("accessToken");
    }
    /// OpenTelemetry tracer; over gRPC unless http is set.
    OpenTelemetryTracingProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        max_tag_length: Option<Spanned<i64>> = number("maxTagLength");
        http: Option<Box<HttpService<'a>>> = boxed("http", HttpService::decode);
        grpc: Option<Box<GrpcService<'a>>> = boxed("grpc", GrpcService::decode);
        resource_detectors: Option<Box<ResourceDetectors<'a>>> = boxed("resourceDetectors", ResourceDetectors::decode);
        service_attribute_enrichment: Option<Text<'a>> = text("serviceAttributeEnrichment");
        dynatrace_sampler: Option<Box<DynatraceSampler<'a>>> = boxed("dynatraceSampler", DynatraceSampler::decode);
    }
    /// HTTP export.
    HttpService<'a> {
        path: Option<Text<'a>> = text("path");
        timeout: Option<Text<'a>> = text("timeout");
        headers: ThinVec<MeshConfigExtensionProviderHttpHeader<'a>> = list("headers", MeshConfigExtensionProviderHttpHeader::decode);
    }
    /// gRPC export.
    GrpcService<'a> {
        timeout: Option<Text<'a>> = text("timeout");
        initial_metadata: ThinVec<MeshConfigExtensionProviderHttpHeader<'a>> = list("initialMetadata", MeshConfigExtensionProviderHttpHeader::decode);
    }
    /// What is found out about the proxy.
    ResourceDetectors<'a> {
        environment: Option<Spanned<Value<'a>>> = value("environment");
        dynatrace: Option<Spanned<Value<'a>>> = value("dynatrace");
    }
    /// Sampling by Dynatrace.
    DynatraceSampler<'a> {
        tenant: Option<Text<'a>> = text("tenant");
        cluster_id: Option<Spanned<i64>> = number("clusterId");
        root_spans_per_minute: Option<Spanned<i64>> = number("rootSpansPerMinute");
        http_service: Option<Box<DynatraceApi<'a>>> = boxed("httpService", DynatraceApi::decode);
    }
    /// Dynatrace API.
    DynatraceApi<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        http: Option<Box<HttpService<'a>>> = boxed("http", HttpService::decode);
    }
    /// Access log to a file.
    EnvoyFileAccessLogProvider<'a> {
        path: Option<Text<'a>> = text("path");
        log_format: Option<Box<MeshConfigExtensionProviderEnvoyFileAccessLogProviderLogFormat<'a>>> = boxed("logFormat", MeshConfigExtensionProviderEnvoyFileAccessLogProviderLogFormat::decode);
        omit_empty_values: Option<Spanned<bool>> = boolean("omitEmptyValues");
    }
    /// Format, as text or JSON.
    MeshConfigExtensionProviderEnvoyFileAccessLogProviderLogFormat<'a> {
        text: Option<Text<'a>> = text("text");
        labels: Option<Spanned<Value<'a>>> = value("labels");
    }
    /// HTTP access log to a gRPC service.
    EnvoyHttpGrpcV3LogProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        log_name: Option<Text<'a>> = text("logName");
        filter_state_objects_to_log: ThinVec<Text<'a>> = texts("filterStateObjectsToLog");
        additional_request_headers_to_log: ThinVec<Text<'a>> = texts("additionalRequestHeadersToLog");
        additional_response_headers_to_log: ThinVec<Text<'a>> = texts("additionalResponseHeadersToLog");
        additional_response_trailers_to_log: ThinVec<Text<'a>> = texts("additionalResponseTrailersToLog");
    }
    /// TCP access log to a gRPC service.
    EnvoyTcpGrpcV3LogProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        log_name: Option<Text<'a>> = text("logName");
        filter_state_objects_to_log: ThinVec<Text<'a>> = texts("filterStateObjectsToLog");
    }
    /// Access log to an OpenTelemetry collector.
    EnvoyOpenTelemetryLogProvider<'a> {
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
        log_name: Option<Text<'a>> = text("logName");
        log_format: Option<Box<MeshConfigExtensionProviderEnvoyOpenTelemetryLogProviderLogFormat<'a>>> = boxed("logFormat", MeshConfigExtensionProviderEnvoyOpenTelemetryLogProviderLogFormat::decode);
    }
    /// Body and attributes.
    MeshConfigExtensionProviderEnvoyOpenTelemetryLogProviderLogFormat<'a> {
        text: Option<Text<'a>> = text("text");
        labels: Option<Spanned<Value<'a>>> = value("labels");
    }
    /// Secret service for gateway certificates.
    SdsProvider<'a> {
        name: Option<Text<'a>> = text("name");
        service: Option<Text<'a>> = text("service");
        port: Option<Spanned<i64>> = number("port");
    }
    /// Providers used when a Telemetry names none.
    DefaultProviders<'a> {
        tracing: ThinVec<Text<'a>> = texts("tracing");
        metrics: ThinVec<Text<'a>> = texts("metrics");
        access_logging: ThinVec<Text<'a>> = texts("accessLogging");
    }
    /// How request paths are cleaned before they are matched.
    ProxyPathNormalization<'a> {
        normalization: Option<Text<'a>> = text("normalization");
    }
    /// TLS versions and algorithms.
    TlsConfig<'a> {
        min_protocol_version: Option<Text<'a>> = text("minProtocolVersion");
        ecdh_curves: ThinVec<Text<'a>> = texts("ecdhCurves");
        cipher_suites: ThinVec<Text<'a>> = texts("cipherSuites");
    }
    /// Settings for all destinations.
    DefaultTrafficPolicy<'a> {
        connection_pool: Option<Box<ConnectionPoolSettings<'a>>> = boxed("connectionPool", ConnectionPoolSettings::decode);
        outlier_detection: Option<Box<OutlierDetection<'a>>> = boxed("outlierDetection", OutlierDetection::decode);
    }
    /// Which namespaces see ServiceEntries.
    ServiceEntryVisibility<'a> {
        default_visibility: Option<Text<'a>> = text("defaultVisibility");
        apply_to_sidecars: Option<Spanned<bool>> = boolean("applyToSidecars");
        policies: ThinVec<Policy<'a>> = list("policies", Policy::decode);
    }
    /// Visibility for some ServiceEntries.
    Policy<'a> {
        visibility: Option<Text<'a>> = text("visibility");
        matching_rules: ThinVec<MatchRule<'a>> = list("matchingRules", MatchRule::decode);
    }
    /// Which ServiceEntries.
    MatchRule<'a> {
        namespace_selector: Option<Box<LabelSelector<'a>>> = boxed("namespaceSelector", LabelSelector::decode);
    }
}

impl LabelSelector<'_> {
    /// Whether it selects an object whose labels are asked for one by one.
    pub fn selects<'l>(&self, label: impl Fn(&str) -> Option<&'l str>) -> bool {
        let matched = self.match_labels.iter().all(|(key, value)| label(key) == Some(value));
        matched && self.match_expressions.iter().all(|expression| expression.holds(&label))
    }
}

impl LabelSelectorRequirement<'_> {
    fn holds<'l>(&self, label: impl Fn(&str) -> Option<&'l str>) -> bool {
        let value = label(self.key.map_or("", |key| key.as_str()));
        let listed = value.is_some_and(|value| self.values.iter().any(|one| one.as_str() == value));
        match self.operator.map_or("", |operator| operator.as_str()) {
            "In" => listed,
            "NotIn" => !listed,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    }
}

/// The revision whose istiod reads a ConfigMap of this name: `istio` is that of the default revision, `istio-<revision>`
/// that of another.
pub fn revision_of(config_map: &str) -> Option<&str> {
    if config_map == "istio" {
        Some("default")
    } else {
        config_map.strip_prefix("istio-")
    }
}

/// The text of a literal block as a file of its own. All that is around it is blank, so that its spans are those of the
/// file. `None` for a text that is written otherwise: it has no places.
pub fn embedded(file: &SourceFile, block: Span) -> Option<SourceFile> {
    let text = file.slice(block);
    let head = text.strip_prefix('|')?.find('\n')? + 2;
    let before = &file.text()[..file.range(block).start + head];
    let blank = before.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' });
    Some(file.overlay(blank.chain(text[head..].bytes()).collect()))
}

/// Checks a file that holds settings of this kind.
pub fn check(file: &SourceFile, kind: &str, minor: Minor, violations: &mut Vec<Violation>) {
    let Some(schema) = schema::configuration(kind) else {
        return;
    };
    for document in yaml::parse(file).iter().filter(|document| document.is_readable()) {
        if let Some(root) = document.tree.root() {
            schema.check(root, minor, violations);
        }
    }
}
