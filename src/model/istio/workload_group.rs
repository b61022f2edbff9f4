//! `networking.istio.io` `WorkloadGroup`.

use super::WorkloadEntry;
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Labels, Spanned, Text};

record! {
    /// Template and health check.
    WorkloadGroup<'a> {
        metadata: Option<Box<ObjectMeta<'a>>> = boxed("metadata", ObjectMeta::decode);
        template: Option<Box<WorkloadEntry<'a>>> = boxed("template", WorkloadEntry::decode);
        probe: Option<Box<ReadinessProbe<'a>>> = boxed("probe", ReadinessProbe::decode);
    }
    /// Labels and annotations for the entries.
    ObjectMeta<'a> {
        labels: Labels<'a> = labels("labels");
        annotations: Labels<'a> = labels("annotations");
    }
    /// Health check.
    ReadinessProbe<'a> {
        initial_delay_seconds: Option<Spanned<i64>> = number("initialDelaySeconds");
        timeout_seconds: Option<Spanned<i64>> = number("timeoutSeconds");
        period_seconds: Option<Spanned<i64>> = number("periodSeconds");
        success_threshold: Option<Spanned<i64>> = number("successThreshold");
        failure_threshold: Option<Spanned<i64>> = number("failureThreshold");
        http_get: Option<Box<HttpHealthCheckConfig<'a>>> = boxed("httpGet", HttpHealthCheckConfig::decode);
        tcp_socket: Option<Box<TcpHealthCheckConfig<'a>>> = boxed("tcpSocket", TcpHealthCheckConfig::decode);
        exec: Option<Box<ExecHealthCheckConfig<'a>>> = boxed("exec", ExecHealthCheckConfig::decode);
        grpc: Option<Box<GrpcHealthCheckConfig<'a>>> = boxed("grpc", GrpcHealthCheckConfig::decode);
        is_empty: bool = leaves_unset(&["httpGet", "tcpSocket", "exec", "grpc"]);
    }
    /// HTTP request of a check.
    HttpHealthCheckConfig<'a> {
        path: Option<Text<'a>> = text("path");
        port: Option<Spanned<i64>> = number("port");
        host: Option<Text<'a>> = text("host");
        scheme: Option<Text<'a>> = text("scheme");
        http_headers: ThinVec<HttpHeader<'a>> = list("httpHeaders", HttpHeader::decode);
    }
    /// One header.
    HttpHeader<'a> {
        name: Option<Text<'a>> = text("name");
        value: Option<Text<'a>> = text("value");
    }
    /// TCP connection of a check.
    TcpHealthCheckConfig<'a> {
        host: Option<Text<'a>> = text("host");
        port: Option<Spanned<i64>> = number("port");
    }
    /// Command of a check.
    ExecHealthCheckConfig<'a> {
        command: ThinVec<Text<'a>> = texts("command");
    }
    /// gRPC call of a check.
    GrpcHealthCheckConfig<'a> {
        port: Option<Spanned<i64>> = number("port");
        service: Option<Text<'a>> = text("service");
    }
}
