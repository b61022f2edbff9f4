//! `extensions.istio.io` `TrafficExtension`.

use super::{PolicyTargetReference, PortSelector, VmConfig, WorkloadSelector};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text, Value};
use crate::source::Span;

record! {
    /// Filter and where it runs.
    TrafficExtension<'a> {
        selector: Option<Box<WorkloadSelector<'a>>> = boxed("selector", WorkloadSelector::decode);
        target_refs: ThinVec<PolicyTargetReference<'a>> = list("targetRefs", PolicyTargetReference::decode);
        target_refs_key: Option<Span> = key("targetRefs");
        phase: Option<Text<'a>> = text("phase");
        priority: Option<Spanned<i64>> = number("priority");
        matches: ThinVec<TrafficSelector<'a>> = list("match", TrafficSelector::decode);
        wasm: Option<Box<WasmConfig<'a>>> = boxed("wasm", WasmConfig::decode);
        lua: Option<Box<LuaConfig<'a>>> = boxed("lua", LuaConfig::decode);
    }
    /// Traffic that a filter sees.
    TrafficSelector<'a> {
        mode: Option<Text<'a>> = text("mode");
        ports: ThinVec<PortSelector> = list("ports", PortSelector::decode);
    }
    /// WebAssembly module and how it is loaded.
    WasmConfig<'a> {
        url: Option<Text<'a>> = text("url");
        sha256: Option<Text<'a>> = text("sha256");
        image_pull_policy: Option<Text<'a>> = text("imagePullPolicy");
        image_pull_secret: Option<Text<'a>> = text("imagePullSecret");
        verification_key: Option<Text<'a>> = text("verificationKey");
        plugin_config: Option<Spanned<Value<'a>>> = value("pluginConfig");
        plugin_name: Option<Text<'a>> = text("pluginName");
        fail_strategy: Option<Text<'a>> = text("failStrategy");
        vm_config: Option<Box<VmConfig<'a>>> = boxed("vmConfig", VmConfig::decode);
        type_name: Option<Text<'a>> = text("type");
    }
    /// Lua script as a filter.
    LuaConfig<'a> {
        inline_code: Option<Text<'a>> = text("inlineCode");
    }
}
