//! `inference.networking.k8s.io` `InferencePool`.

use super::LabelSelector;
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};

record! {
    /// Model server pods and their picker.
    InferencePoolSpec<'a> {
        app_protocol: Option<Text<'a>> = text("appProtocol");
        endpoint_picker_ref: Option<Box<EndpointPickerRef<'a>>> = boxed("endpointPickerRef", EndpointPickerRef::decode);
        selector: Option<Box<LabelSelector<'a>>> = boxed("selector", LabelSelector::decode);
        target_ports: ThinVec<Port> = list("targetPorts", Port::decode);
    }
    /// The endpoint picker.
    EndpointPickerRef<'a> {
        failure_mode: Option<Text<'a>> = text("failureMode");
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        port: Option<Box<Port>> = boxed("port", Port::decode);
    }
    /// A port.
    Port {
        number: Option<Spanned<i64>> = number("number");
    }
}
