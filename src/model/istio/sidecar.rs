//! `networking.istio.io` `Sidecar`.

use super::{ConnectionPoolSettings, Destination, LabelsSelector, ServerTlsSettings};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};

record! {
    /// Listeners and visible hosts of workloads.
    Sidecar<'a> {
        workload_selector: Option<Box<LabelsSelector<'a>>> = boxed("workloadSelector", LabelsSelector::decode);
        ingress: ThinVec<IstioIngressListener<'a>> = list("ingress", IstioIngressListener::decode);
        egress: ThinVec<IstioEgressListener<'a>> = list("egress", IstioEgressListener::decode);
        inbound_connection_pool: Option<Box<ConnectionPoolSettings<'a>>> = boxed("inboundConnectionPool", ConnectionPoolSettings::decode);
        outbound_traffic_policy: Option<Box<OutboundTrafficPolicy<'a>>> = boxed("outboundTrafficPolicy", OutboundTrafficPolicy::decode);
    }
    /// Listener for incoming traffic.
    IstioIngressListener<'a> {
        port: Option<Box<SidecarPort<'a>>> = boxed("port", SidecarPort::decode);
        bind: Option<Text<'a>> = text("bind");
        capture_mode: Option<Text<'a>> = text("captureMode");
        default_endpoint: Option<Text<'a>> = text("defaultEndpoint");
        tls: Option<Box<ServerTlsSettings<'a>>> = boxed("tls", ServerTlsSettings::decode);
        connection_pool: Option<Box<ConnectionPoolSettings<'a>>> = boxed("connectionPool", ConnectionPoolSettings::decode);
    }
    /// Port of a listener.
    SidecarPort<'a> {
        number: Option<Spanned<i64>> = number("number");
        has_number: bool = has("number");
        protocol: Option<Text<'a>> = text("protocol");
        name: Option<Text<'a>> = text("name");
        target_port: Option<Spanned<i64>> = number("targetPort");
    }
    /// Listener for outgoing traffic.
    IstioEgressListener<'a> {
        port: Option<Box<SidecarPort<'a>>> = boxed("port", SidecarPort::decode);
        has_port: bool = has("port");
        bind: Option<Text<'a>> = text("bind");
        capture_mode: Option<Text<'a>> = text("captureMode");
        hosts: ThinVec<Text<'a>> = texts("hosts");
    }
    /// Traffic to hosts that are not in the registry.
    OutboundTrafficPolicy<'a> {
        mode: Option<Text<'a>> = text("mode");
        egress_proxy: Option<Box<Destination<'a>>> = boxed("egressProxy", Destination::decode);
    }
}
