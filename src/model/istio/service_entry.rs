//! `networking.istio.io` `ServiceEntry`.

use super::{LabelsSelector, WorkloadEntry};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};
use crate::source::Span;

record! {
    /// Hosts, addresses, ports and endpoints.
    ServiceEntry<'a> {
        hosts: ThinVec<Text<'a>> = texts("hosts");
        addresses: ThinVec<Text<'a>> = texts("addresses");
        ports: ThinVec<ServicePort<'a>> = list("ports", ServicePort::decode);
        location: Option<Text<'a>> = text("location");
        resolution: Option<Text<'a>> = text("resolution");
        endpoints: ThinVec<WorkloadEntry<'a>> = list("endpoints", WorkloadEntry::decode);
        endpoints_key: Option<Span> = key("endpoints");
        workload_selector: Option<Box<LabelsSelector<'a>>> = boxed("workloadSelector", LabelsSelector::decode);
        export_to: ThinVec<Text<'a>> = texts("exportTo");
        subject_alt_names: ThinVec<Text<'a>> = texts("subjectAltNames");
    }
    /// Port of the service.
    ServicePort<'a> {
        number: Option<Spanned<i64>> = number("number");
        protocol: Option<Text<'a>> = text("protocol");
        name: Option<Text<'a>> = text("name");
        target_port: Option<Spanned<i64>> = number("targetPort");
    }
}
