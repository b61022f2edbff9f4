//! `meshlint proxy-config`: what istiod would push.

use std::io::{self, BufWriter, Write};

use super::args::{LayerArgument, ProxyConfigArguments, ProxyConfigFormat};
use super::input::{Loaded, unchanged};
use super::{CLEAN, Done, Failure};
use crate::envoy::pods::PodGroup;
use crate::envoy::{Configuration, World};
use crate::source::Words;

/// Compiles the proxies that are asked for and prints them.
pub fn proxy_config(arguments: &ProxyConfigArguments) -> Done {
    let mut input = Loaded::load(&arguments.input)?;
    let words = Words::default();
    let mesh = input.mesh(&words);
    let world = World::new(&mesh);
    let proxies = chosen(&world, arguments)?;
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    match arguments.format {
        ProxyConfigFormat::Json | ProxyConfigFormat::Yaml | ProxyConfigFormat::Text => {
            json(&world, &proxies, arguments.layer, &mut out)?
        }
    }
    out.flush()?;
    unchanged(mesh.sources)?;
    Ok(CLEAN)
}

fn chosen<'w, 'm, 'a>(
    world: &'w World<'m, 'a>,
    arguments: &ProxyConfigArguments,
) -> Result<Vec<(String, &'w PodGroup<'m, 'a>)>, Failure> {
    let all = world.proxies().map(|proxy| (proxy.id(world.mesh), proxy));
    if arguments.all_proxies {
        return Ok(all.collect());
    }
    let all: Vec<_> = all.collect();
    let find = |wanted: &String| {
        let found = all.iter().find(|(id, _)| id == wanted);
        found
            .cloned()
            .ok_or_else(|| Failure::Usage(format!("there is no proxy `{wanted}`")))
    };
    arguments.proxy.iter().map(find).collect()
}

fn json<'m, 'a>(
    world: &World<'m, 'a>,
    proxies: &[(String, &PodGroup<'m, 'a>)],
    layer: LayerArgument,
    out: &mut impl Write,
) -> Result<(), Failure> {
    write!(out, "{{\"proxies\": {{")?;
    for (index, (id, proxy)) in proxies.iter().enumerate() {
        let configuration = only(world.compile(proxy).whole(), layer);
        let separator = if index == 0 { "" } else { "," };
        write!(
            out,
            "{separator}\n{}: ",
            serde_json::to_string(id).expect("a text is JSON")
        )?;
        serde_json::to_writer(&mut *out, &configuration).map_err(io::Error::from)?;
    }
    writeln!(out, "\n}}}}")?;
    Ok(())
}

fn only(configuration: Configuration, layer: LayerArgument) -> Configuration {
    let none = Configuration::default();
    match layer {
        LayerArgument::All => configuration,
        LayerArgument::Listeners => Configuration {
            listeners: configuration.listeners,
            ..none
        },
        LayerArgument::Routes => Configuration {
            routes: configuration.routes,
            ..none
        },
        LayerArgument::Clusters => Configuration {
            clusters: configuration.clusters,
            ..none
        },
        LayerArgument::Endpoints => Configuration {
            endpoints: configuration.endpoints,
            ..none
        },
        LayerArgument::Secrets => Configuration {
            secrets: configuration.secrets,
            ..none
        },
    }
}
