//! `extensions.istio.io` `WasmPlugin`.

use super::{PolicyTargetReference, PortSelector, VmConfig, WorkloadSelector};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text, Value};
use crate::source::Span;

record! {
    /// Module, settings and where it runs.
    WasmPlugin<'a> {
        selector: Option<Box<WorkloadSelector<'a>>> = boxed("selector", WorkloadSelector::decode);
        target_ref: Option<Box<PolicyTargetReference<'a>>> = boxed("targetRef", PolicyTargetReference::decode);
        target_refs: ThinVec<PolicyTargetReference<'a>> = list("targetRefs", PolicyTargetReference::decode);
        target_refs_key: Option<Span> = key("targetRefs");
        url: Option<Text<'a>> = text("url");
        sha256: Option<Text<'a>> = text("sha256");
        image_pull_policy: Option<Text<'a>> = text("imagePullPolicy");
        image_pull_secret: Option<Text<'a>> = text("imagePullSecret");
        verification_key: Option<Text<'a>> = text("verificationKey");
        plugin_config: Option<Spanned<Value<'a>>> = value("pluginConfig");
        plugin_name: Option<Text<'a>> = text("pluginName");
        phase: Option<Text<'a>> = text("phase");
        priority: Option<Spanned<i64>> = number("priority");
        fail_strategy: Option<Text<'a>> = text("failStrategy");
        vm_config: Option<Box<VmConfig<'a>>> = boxed("vmConfig", VmConfig::decode);
        matches: ThinVec<WasmPluginTrafficSelector<'a>> = list("match", WasmPluginTrafficSelector::decode);
        type_name: Option<Text<'a>> = text("type");
    }
    /// Traffic that a plugin sees.
    WasmPluginTrafficSelector<'a> {
        mode: Option<Text<'a>> = text("mode");
        ports: ThinVec<PortSelector> = list("ports", PortSelector::decode);
    }
}
