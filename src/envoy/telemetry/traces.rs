//! Which traces a proxy takes part in.

use super::logs::names;
use super::{Class, speaks_of, tracers};
use crate::envoy::World;
use crate::envoy::message::{Json, Str};
use crate::envoy::proxy_settings::Tag;
use crate::model::Text;
use crate::model::istio::{CustomTag, Telemetry, Tracing};

/// Who decides about traces.
#[derive(Clone, Debug, PartialEq)]
pub enum Traces {
    /// Nobody: there are none.
    Off,
    /// The settings of the proxy; where they go is in the bootstrap.
    Settings,
    /// Telemetry.
    Telemetry(Trace),
}

/// Traces as Telemetry wants them; what it leaves open is in the settings of the proxy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The `provider`.
    pub provider: Option<Json>,
    /// The longest path that is told, by the provider.
    pub max_path_tag_length: Option<u32>,
    /// Percent of requests that begin a trace.
    pub sampling: Option<f64>,
    /// Tags by name, instead of those of the settings.
    pub custom_tags: Vec<(Str, Tag)>,
    /// Whether Istio adds its own tags.
    pub istio_tags: Option<bool>,
    /// Whether the request ID says if a request is traced.
    pub by_request_id: bool,
}

/// What a provider and the blocks so far come to.
struct Merged<'t> {
    provider: Option<&'t str>,
    disabled: bool,
    tags: Option<&'t [(Text<'t>, CustomTag<'t>)]>,
    trace: Trace,
}

/// The traces of a target with these resources.
pub(super) fn traces(world: &World<'_, '_>, telemetry: &[&Telemetry<'_>], class: Class) -> Traces {
    let config = world.environment.config;
    let default = config
        .default_providers
        .as_deref()
        .and_then(|defaults| defaults.tracing.first());
    let blocks: Vec<&Tracing<'_>> = telemetry.iter().flat_map(|telemetry| &telemetry.tracing).collect();
    if blocks.is_empty() && default.is_none() {
        return match config.enable_tracing {
            Some(enabled) if !enabled.value => Traces::Off,
            _ => Traces::Settings,
        };
    }
    let mut merged = Merged {
        provider: default.map(Text::as_str),
        disabled: false,
        tags: None,
        trace: Trace {
            by_request_id: true,
            ..Trace::default()
        },
    };
    for block in blocks {
        let mode = block.matches.as_ref().and_then(|matches| matches.mode);
        if speaks_of(mode.map(|mode| mode.as_str()), class) {
            merged.apply(block);
        }
    }
    merged.traces(world)
}

impl<'t> Merged<'t> {
    /// Each field on its own; tags as a whole (catalogue: policies, 50).
    fn apply(&mut self, block: &'t Tracing<'_>) {
        if let Some(name) = names(&block.providers).first() {
            self.provider = Some(*name);
        }
        if let Some(disabled) = block.disable_span_reporting {
            self.disabled = disabled.value;
        }
        if !block.custom_tags.is_empty() {
            self.tags = Some(&block.custom_tags);
        }
        if let Some(sampling) = block.random_sampling_percentage {
            self.trace.sampling = Some(sampling.value);
        }
        if let Some(by_request_id) = block.use_request_id_for_trace_sampling {
            self.trace.by_request_id = by_request_id.value;
        }
        if let Some(istio_tags) = block.enable_istio_tags {
            self.trace.istio_tags = Some(istio_tags.value);
        }
    }

    /// Without a provider that is known and can be asked there are no traces.
    fn traces(self, world: &World<'_, '_>) -> Traces {
        let tracer = self.provider.and_then(|name| tracers::tracer(world, name));
        let Some(tracer) = tracer.filter(|_| !self.disabled) else {
            return Traces::Off;
        };
        let tags = self.tags.into_iter().flatten();
        Traces::Telemetry(Trace {
            provider: Some(tracer.provider),
            max_path_tag_length: tracer.max_path_tag_length,
            custom_tags: tags
                .filter_map(|(name, tag)| Some((Str::new(name.as_str()), value(tag)?)))
                .collect(),
            ..self.trace
        })
    }
}

fn value(tag: &CustomTag<'_>) -> Option<Tag> {
    let text = |text: Option<Text<'_>>| text.map_or(Str::default(), |text| Str::new(text.as_str()));
    if let Some(literal) = &tag.literal {
        Some(Tag::Literal(text(literal.value)))
    } else if let Some(variable) = &tag.environment {
        Some(Tag::Environment(text(variable.name), text(variable.default_value)))
    } else if let Some(header) = &tag.header {
        Some(Tag::Header(text(header.name), text(header.default_value)))
    } else {
        let formatter = tag.formatter.as_ref()?;
        Some(Tag::Format(text(formatter.value)))
    }
}
