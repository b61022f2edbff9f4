//! WasmPlugins and TrafficExtensions as filters.
//!
//! Modules are filters that fetch their configuration; a Lua script stands in its filter. Within a phase the higher
//! priority is first, then the name (catalogue: policies, 52).

use std::cmp::Reverse;
use std::sync::{Arc, LazyLock};

use serde_json::json;

use super::World;
use super::message::{ConfigSource, ExtensionConfigSource, Filter, HttpConfig, HttpFilter, Origin, Str};
use super::policies::{Attached, Target};
use super::telemetry::{Class, speaks_of};
use crate::model::istio::{PortSelector, TrafficExtension, WasmPlugin};
use crate::model::{Header, Spanned, Text};

/// The extension filters of a chain by their phase.
#[derive(Clone, Debug)]
pub struct Extensions<F> {
    /// Before tokens are checked: `AUTHN`.
    pub authentication: Vec<F>,
    /// Between tokens and authorization: `AUTHZ`.
    pub authorization: Vec<F>,
    /// After authorization: `STATS`.
    pub statistics: Vec<F>,
    /// Then those without a phase.
    pub unspecified: Vec<F>,
}

/// The plugins of a target in their order.
#[derive(Clone, Debug, Default)]
pub struct Plugins(Vec<Plugin>);

/// One plugin.
#[derive(Clone, Debug)]
struct Plugin {
    phase: Phase,
    priority: i64,
    /// The traffic it sees; all where there is none.
    matches: Vec<Match>,
    filter: PluginFilter,
    name: Str,
}

/// The stage of a chain that a plugin stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Authentication,
    Authorization,
    Statistics,
    Unspecified,
}

/// Traffic that a plugin sees.
#[derive(Clone, Debug)]
struct Match {
    mode: Option<Str>,
    ports: Vec<i64>,
}

#[derive(Clone, Debug)]
enum PluginFilter {
    Http(HttpFilter),
    Network(Filter),
}

impl Plugins {
    /// The plugins of a target. To be asked once for each.
    pub fn of(world: &World<'_, '_>, target: &Target<'_>) -> Self {
        let modules = world.policies.plugins.of_target(world, target).map(of_wasm_plugin);
        let extensions = world.policies.extensions.of_target(world, target);
        let extensions = extensions.filter_map(of_traffic_extension);
        let mut plugins: Vec<Plugin> = modules.chain(extensions).collect();
        plugins.sort_by(|a, b| (Reverse(a.priority), &a.name).cmp(&(Reverse(b.priority), &b.name)));
        Self(plugins)
    }

    /// The filters of HTTP chains on a port. Passthrough chains have no port.
    pub fn http(&self, class: Class, port: Option<u32>) -> Extensions<HttpFilter> {
        self.by_phase(class, port, |filter| match filter {
            PluginFilter::Http(filter) => Some(filter),
            PluginFilter::Network(_) => None,
        })
    }

    /// The network filters of chains on a port.
    pub fn network(&self, class: Class, port: Option<u32>) -> Extensions<Filter> {
        self.by_phase(class, port, |filter| match filter {
            PluginFilter::Network(filter) => Some(filter),
            PluginFilter::Http(_) => None,
        })
    }

    fn by_phase<F: Clone>(
        &self,
        class: Class,
        port: Option<u32>,
        of_kind: impl Fn(&PluginFilter) -> Option<&F>,
    ) -> Extensions<F> {
        let of_phase = |phase| {
            let plugins = self.0.iter();
            let plugins = plugins.filter(|plugin| plugin.phase == phase && plugin.sees(class, port));
            plugins.filter_map(|plugin| of_kind(&plugin.filter).cloned()).collect()
        };
        Extensions {
            authentication: of_phase(Phase::Authentication),
            authorization: of_phase(Phase::Authorization),
            statistics: of_phase(Phase::Statistics),
            unspecified: of_phase(Phase::Unspecified),
        }
    }
}

impl Plugin {
    fn sees(&self, class: Class, port: Option<u32>) -> bool {
        let seen = |found: &Match| {
            let on_port = port.is_some_and(|port| found.ports.contains(&i64::from(port)));
            speaks_of(found.mode.as_deref(), class) && (found.ports.is_empty() || on_port)
        };
        self.matches.is_empty() || self.matches.iter().any(seen)
    }
}

fn of_wasm_plugin(attached: &Attached<'_, '_, WasmPlugin<'_>>) -> Plugin {
    let (header, plugin) = (attached.object.header, attached.object.body);
    let name = name(header, "~istio-translated-wasmplugin");
    Plugin {
        phase: phase(plugin.phase),
        priority: priority(plugin.priority),
        matches: (plugin.matches.iter())
            .map(|found| traffic(found.mode, &found.ports))
            .collect(),
        filter: module(&name, plugin.type_name, header),
        name,
    }
}

fn of_traffic_extension(attached: &Attached<'_, '_, TrafficExtension<'_>>) -> Option<Plugin> {
    let (header, extension) = (attached.object.header, attached.object.body);
    let name = name(header, "");
    let filter = match (&extension.wasm, &extension.lua) {
        (Some(wasm), _) => module(&name, wasm.type_name, header),
        (None, Some(lua)) => PluginFilter::Http(script(&name, lua.inline_code, header)),
        (None, None) => return None,
    };
    Some(Plugin {
        phase: phase(extension.phase),
        priority: priority(extension.priority),
        matches: (extension.matches.iter())
            .map(|found| traffic(found.mode, &found.ports))
            .collect(),
        filter,
        name,
    })
}

fn name(header: &Header<'_>, suffix: &str) -> Str {
    Str::from(format!(
        "extensions.istio.io/trafficextension/{}.{}{suffix}",
        header.namespace, header.name
    ))
}

fn phase(written: Option<Text<'_>>) -> Phase {
    match written.map_or("", |phase| phase.as_str()) {
        "AUTHN" => Phase::Authentication,
        "AUTHZ" => Phase::Authorization,
        "STATS" => Phase::Statistics,
        _ => Phase::Unspecified,
    }
}

/// One that is not written is the lowest.
fn priority(written: Option<Spanned<i64>>) -> i64 {
    written.map_or(i64::MIN, |priority| priority.value)
}

fn traffic(mode: Option<Text<'_>>, ports: &[PortSelector]) -> Match {
    Match {
        mode: mode.map(|mode| Str::new(mode.as_str())),
        ports: ports
            .iter()
            .filter_map(|port| port.number.map(|number| number.value))
            .collect(),
    }
}

/// A module: until it is fetched, or where it may not run, an RBAC filter stands for it.
fn module(name: &Str, type_name: Option<Text<'_>>, header: &Header<'_>) -> PluginFilter {
    if type_name.is_some_and(|name| name.as_str() == "NETWORK") {
        return PluginFilter::Network(Filter {
            name: name.clone(),
            typed_config: None,
            config_discovery: Some(Box::new(NETWORK_DISCOVERY.clone())),
        });
    }
    PluginFilter::Http(HttpFilter {
        name: name.clone(),
        config_discovery: Some(Box::new(HTTP_DISCOVERY.clone())),
        origin: Origin::of(header.span),
        ..HttpFilter::default()
    })
}

fn script(name: &Str, code: Option<Text<'_>>, header: &Header<'_>) -> HttpFilter {
    let config = json!({
        "@type": "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
        "defaultSourceCode": {"inlineString": code.map_or("", |code| code.as_str())},
    });
    HttpFilter {
        name: name.clone(),
        typed_config: Some(HttpConfig::Json(Arc::new(config))),
        origin: Origin::of(header.span),
        ..HttpFilter::default()
    }
}

static HTTP_DISCOVERY: LazyLock<ExtensionConfigSource> = LazyLock::new(|| discovery("http"));
static NETWORK_DISCOVERY: LazyLock<ExtensionConfigSource> = LazyLock::new(|| discovery("network"));

fn discovery(kind: &str) -> ExtensionConfigSource {
    let filter = |message| Str::from(format!("type.googleapis.com/envoy.extensions.filters.{kind}.{message}"));
    ExtensionConfigSource {
        config_source: ConfigSource::ads(),
        type_urls: vec![filter("wasm.v3.Wasm"), filter("rbac.v3.RBAC")],
    }
}
