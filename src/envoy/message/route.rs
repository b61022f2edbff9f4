//! Route configurations.

use std::collections::BTreeMap;

use super::{
    FractionalPercent, HeaderValueOption, Json, Metadata, Origin, RegexMatcher, RuntimeFractionalPercent, Str,
    StringMatcher, message,
};

message! {
    /// `route.v3.RouteConfiguration`
    RouteConfiguration {
        name: Str,
        ignore_port_in_host_matching: bool,
        max_direct_response_body_size_bytes: Option<u32>,
        request_headers_to_add: Vec<HeaderValueOption>,
        response_headers_to_remove: Vec<Str>,
        validate_clusters: Option<bool>,
        virtual_hosts: Vec<VirtualHost>,
        origin: Origin,
    }
    /// `route.v3.VirtualHost`
    VirtualHost {
        name: Str,
        domains: Vec<Str>,
        include_request_attempt_count: bool,
        require_tls: &'static str,
        routes: Vec<Route>,
        origin: Origin,
    }
    /// `route.v3.Route`: one of route, redirect and direct response.
    Route {
        name: Str,
        decorator: Option<Decorator>,
        direct_response: Option<DirectResponse>,
        r#match: RouteMatch,
        metadata: Option<Metadata>,
        redirect: Option<RedirectAction>,
        request_headers_to_add: Vec<HeaderValueOption>,
        request_headers_to_remove: Vec<Str>,
        response_headers_to_add: Vec<HeaderValueOption>,
        response_headers_to_remove: Vec<Str>,
        route: Option<Box<RouteAction>>,
        stat_prefix: Str,
        typed_per_filter_config: BTreeMap<&'static str, Json>,
        origin: Origin,
    }
    /// `route.v3.Decorator`
    Decorator {
        operation: Str,
    }
    /// `route.v3.DirectResponseAction`
    DirectResponse {
        status: u32,
        body: Option<DataSource>,
    }
    /// `core.v3.DataSource`
    DataSource {
        inline_string: Option<Str>,
        inline_bytes: Option<Str>,
    }
    /// `route.v3.RouteMatch`: one kind of path.
    RouteMatch {
        prefix: Option<Str>,
        path: Option<Str>,
        path_separated_prefix: Option<Str>,
        safe_regex: Option<RegexMatcher>,
        connect_matcher: Option<Json>,
        case_sensitive: Option<bool>,
        headers: Vec<HeaderMatcher>,
        query_parameters: Vec<QueryParameterMatcher>,
        dynamic_metadata: Vec<Json>,
    }
    /// `route.v3.HeaderMatcher`
    HeaderMatcher {
        name: Str,
        string_match: Option<StringMatcher>,
        present_match: Option<bool>,
        invert_match: bool,
        treat_missing_header_as_empty: bool,
    }
    /// `route.v3.QueryParameterMatcher`
    QueryParameterMatcher {
        name: Str,
        string_match: Option<StringMatcher>,
        present_match: Option<bool>,
    }
    /// `route.v3.RedirectAction`
    RedirectAction {
        host_redirect: Str,
        path_redirect: Option<Str>,
        port_redirect: u32,
        prefix_rewrite: Option<Str>,
        response_code: &'static str,
        scheme_redirect: Str,
        strip_query: bool,
    }
    /// `route.v3.RouteAction`: one cluster or several.
    RouteAction {
        cluster: Str,
        cluster_not_found_response_code: &'static str,
        hash_policy: Vec<Json>,
        host_rewrite_literal: Str,
        max_grpc_timeout: Str,
        max_stream_duration: Option<Json>,
        prefix_rewrite: Str,
        regex_rewrite: Option<RegexRewrite>,
        request_mirror_policies: Vec<RequestMirrorPolicy>,
        retry_policy: Option<RetryPolicy>,
        timeout: Str,
        upgrade_configs: Vec<Json>,
        weighted_clusters: Option<WeightedClusters>,
    }
    /// `matcher.v3.RegexMatchAndSubstitute`
    RegexRewrite {
        pattern: RegexMatcher,
        substitution: Str,
    }
    /// `RouteAction.RequestMirrorPolicy`
    RequestMirrorPolicy {
        cluster: Str,
        disable_shadow_host_suffix_append: bool,
        runtime_fraction: Option<RuntimeFractionalPercent>,
        trace_sampled: Option<bool>,
    }
    /// `route.v3.WeightedCluster`
    WeightedClusters {
        clusters: Vec<ClusterWeight>,
    }
    /// `WeightedCluster.ClusterWeight`
    ClusterWeight {
        name: Str,
        host_rewrite_literal: Str,
        request_headers_to_add: Vec<HeaderValueOption>,
        request_headers_to_remove: Vec<Str>,
        response_headers_to_add: Vec<HeaderValueOption>,
        response_headers_to_remove: Vec<Str>,
        weight: Option<u32>,
    }
    /// `route.v3.RetryPolicy`
    RetryPolicy {
        host_selection_retry_max_attempts: Str,
        num_retries: Option<u32>,
        per_try_timeout: Str,
        retriable_status_codes: Vec<u32>,
        retry_back_off: Option<RetryBackOff>,
        retry_host_predicate: Vec<Json>,
        retry_on: Str,
        retry_priority: Option<Json>,
    }
    /// `RetryPolicy.RetryBackOff`
    RetryBackOff {
        base_interval: Str,
        max_interval: Str,
    }
    /// `fault.v3.HTTPFault`
    HttpFault {
        abort: Option<FaultAbort>,
        delay: Option<FaultDelay>,
    }
    /// `fault.v3.FaultAbort`
    FaultAbort {
        http_status: u32,
        grpc_status: Option<u32>,
        percentage: Option<FractionalPercent>,
    }
    /// `common.fault.v3.FaultDelay`
    FaultDelay {
        fixed_delay: Str,
        percentage: Option<FractionalPercent>,
    }
}
