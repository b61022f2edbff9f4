//! `telemetry.istio.io` `Telemetry`.

use super::{PolicyTargetReference, WorkloadSelector};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};
use crate::source::Span;

record! {
    /// Signals and the workloads that send them.
    Telemetry<'a> {
        selector: Option<Box<WorkloadSelector<'a>>> = boxed("selector", WorkloadSelector::decode);
        target_ref: Option<Box<PolicyTargetReference<'a>>> = boxed("targetRef", PolicyTargetReference::decode);
        target_refs: ThinVec<PolicyTargetReference<'a>> = list("targetRefs", PolicyTargetReference::decode);
        target_refs_key: Option<Span> = key("targetRefs");
        tracing: ThinVec<Tracing<'a>> = list("tracing", Tracing::decode);
        metrics: ThinVec<Metrics<'a>> = list("metrics", Metrics::decode);
        access_logging: ThinVec<AccessLogging<'a>> = list("accessLogging", AccessLogging::decode);
    }
    /// Traces of a direction.
    Tracing<'a> {
        matches: Option<Box<TracingSelector<'a>>> = boxed("match", TracingSelector::decode);
        providers: ThinVec<ProviderRef<'a>> = list("providers", ProviderRef::decode);
        random_sampling_percentage: Option<Spanned<f64>> = decimal("randomSamplingPercentage");
        disable_span_reporting: Option<Spanned<bool>> = boolean("disableSpanReporting");
        custom_tags: ThinVec<(Text<'a>, CustomTag<'a>)> = map("customTags", CustomTag::decode);
        use_request_id_for_trace_sampling: Option<Spanned<bool>> = boolean("useRequestIdForTraceSampling");
        enable_istio_tags: Option<Spanned<bool>> = boolean("enableIstioTags");
        disable_context_propagation: Option<Spanned<bool>> = boolean("disableContextPropagation");
    }
    /// Direction.
    TracingSelector<'a> {
        mode: Option<Text<'a>> = text("mode");
    }
    /// A provider of MeshConfig.
    ProviderRef<'a> {
        name: Option<Text<'a>> = text("name");
    }
    /// Value of a tag; one of the kinds.
    CustomTag<'a> {
        literal: Option<Box<Literal<'a>>> = boxed("literal", Literal::decode);
        environment: Option<Box<Environment<'a>>> = boxed("environment", Environment::decode);
        header: Option<Box<RequestHeader<'a>>> = boxed("header", RequestHeader::decode);
        formatter: Option<Box<Formatter<'a>>> = boxed("formatter", Formatter::decode);
    }
    /// Fixed text.
    Literal<'a> {
        value: Option<Text<'a>> = text("value");
    }
    /// Environment variable of the proxy.
    Environment<'a> {
        name: Option<Text<'a>> = text("name");
        default_value: Option<Text<'a>> = text("defaultValue");
    }
    /// Header of the request.
    RequestHeader<'a> {
        name: Option<Text<'a>> = text("name");
        default_value: Option<Text<'a>> = text("defaultValue");
    }
    /// Access log format string.
    Formatter<'a> {
        value: Option<Text<'a>> = text("value");
    }
    /// Metrics of a provider.
    Metrics<'a> {
        providers: ThinVec<ProviderRef<'a>> = list("providers", ProviderRef::decode);
        overrides: ThinVec<MetricsOverrides<'a>> = list("overrides", MetricsOverrides::decode);
        reporting_interval: Option<Text<'a>> = text("reportingInterval");
    }
    /// Change to metrics.
    MetricsOverrides<'a> {
        matches: Option<Box<MetricSelector<'a>>> = boxed("match", MetricSelector::decode);
        disabled: Option<Spanned<bool>> = boolean("disabled");
        tag_overrides: ThinVec<(Text<'a>, TagOverride<'a>)> = map("tagOverrides", TagOverride::decode);
    }
    /// Which metrics.
    MetricSelector<'a> {
        metric: Option<Text<'a>> = text("metric");
        custom_metric: Option<Text<'a>> = text("customMetric");
        mode: Option<Text<'a>> = text("mode");
    }
    /// Change to a tag.
    TagOverride<'a> {
        operation: Option<Text<'a>> = text("operation");
        value: Option<Text<'a>> = text("value");
    }
    /// Access logs of a direction.
    AccessLogging<'a> {
        matches: Option<Box<LogSelector<'a>>> = boxed("match", LogSelector::decode);
        providers: ThinVec<ProviderRef<'a>> = list("providers", ProviderRef::decode);
        disabled: Option<Spanned<bool>> = boolean("disabled");
        filter: Option<Box<Filter<'a>>> = boxed("filter", Filter::decode);
    }
    /// Direction.
    LogSelector<'a> {
        mode: Option<Text<'a>> = text("mode");
    }
    /// Which requests are logged.
    Filter<'a> {
        expression: Option<Text<'a>> = text("expression");
    }
}
