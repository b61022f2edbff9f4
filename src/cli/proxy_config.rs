//! `meshlint proxy-config`: what istiod would push.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use rayon::prelude::*;

use super::args::{LayerArgument, ProxyConfigArguments, ProxyConfigFormat};
use super::input::{Loaded, unchanged};
use super::{CLEAN, Done, Failure};
use crate::envoy::World;
use crate::envoy::pods::PodGroup;
use crate::mesh::DataPlane;
use crate::report::neutral::visible;
use crate::report::proxies::{Form, Layer, Proxies};
use crate::schema::nearest;
use crate::source::Words;

/// How many proxies are written side by side before they are printed in their order.
const AT_ONCE: usize = 32;

type Named<'w, 'm, 'a> = (String, Cow<'w, PodGroup<'m, 'a>>);

/// Compiles the proxies that are asked for and prints them.
pub fn proxy_config(arguments: &ProxyConfigArguments) -> Done {
    let mut input = Loaded::load(&arguments.input)?;
    let words = Words::default();
    let mesh = input.mesh(&words);
    let world = World::new(&mesh);
    let proxies = chosen(&world, arguments)?;
    let printed = Proxies {
        form: form(arguments.format),
        layers: layers(arguments.layer),
        sources: mesh.sources,
        headings: arguments.all_proxies || proxies.len() > 1,
    };
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    print(&world, &proxies, printed, &mut out)?;
    out.flush()?;
    unchanged(mesh.sources)?;
    Ok(CLEAN)
}

fn print<'m, 'a>(
    world: &World<'m, 'a>,
    proxies: &[Named<'_, 'm, 'a>],
    printed: Proxies<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    printed.begin(out)?;
    let mut is_first = true;
    for some in proxies.chunks(AT_ONCE) {
        let written = some.par_iter().enumerate().map(|(index, (id, proxy))| {
            let mut bytes = Vec::new();
            let is_first = is_first && index == 0;
            printed.proxy(id, &world.compile(proxy), is_first, &mut bytes)?;
            Ok(bytes)
        });
        let written: io::Result<Vec<Vec<u8>>> = written.collect();
        written?.iter().try_for_each(|bytes| out.write_all(bytes))?;
        is_first = false;
    }
    printed.end(is_first, out)
}

fn chosen<'w, 'm, 'a>(
    world: &'w World<'m, 'a>,
    arguments: &ProxyConfigArguments,
) -> Result<Vec<Named<'w, 'm, 'a>>, Failure> {
    let all: Vec<_> = (world.proxies())
        .map(|proxy| (proxy.id(world.mesh), Cow::Borrowed(proxy)))
        .collect();
    if arguments.all_proxies {
        note_undecided(world);
        return Ok(all);
    }
    let find = |wanted: &String| {
        let found = all.iter().find(|(id, _)| id == wanted).cloned();
        let found = found.or_else(|| assumed(world, wanted));
        found.ok_or_else(|| Failure::Usage(unknown(wanted, &all)))
    };
    arguments.proxy.iter().map(find).collect()
}

/// Workloads of which the input does not say whether they have a sidecar.
fn undecided<'w, 'm, 'a>(world: &'w World<'m, 'a>) -> impl Iterator<Item = &'w PodGroup<'m, 'a>> {
    let pods = world.pods.iter();
    pods.filter(|pod| pod.role.is_none() && pod.data_plane == DataPlane::Unknown)
}

/// A workload that may have a sidecar, taken as one that has.
fn assumed<'w, 'm, 'a>(world: &'w World<'m, 'a>, wanted: &str) -> Option<Named<'w, 'm, 'a>> {
    let pod = undecided(world).find(|pod| pod.id(world.mesh) == wanted)?;
    let namespace = visible(pod.namespace);
    note(&format!(
        "the Namespace `{namespace}` is not in the input, which so does not say whether `{}` has a sidecar; it is taken to have one",
        visible(wanted)
    ));
    Some((wanted.to_owned(), Cow::Owned(pod.with_sidecar())))
}

fn note_undecided(world: &World<'_, '_>) {
    let count = undecided(world).count();
    if count > 0 {
        note(&format!(
            "{count} workloads are left out, as their Namespaces are not in the input, which so does not say whether they have a sidecar; `--proxy` takes one of them to have it"
        ));
    }
}

fn note(text: &str) {
    // Where nobody can read it, it need not be said.
    let _ = writeln!(io::stderr(), "note: {text}");
}

/// Names the proxies that may be meant: the nearest by spelling, else those of the same name.
fn unknown(wanted: &str, all: &[Named<'_, '_, '_>]) -> String {
    let ids = || all.iter().map(|(id, _)| id.as_str());
    let name = wanted.rsplit('/').next().unwrap_or(wanted);
    let same_name = ids().filter(|id| id.rsplit('/').next() == Some(name)).take(3);
    let near: Vec<&str> = match nearest(wanted, ids()) {
        Some(near) => vec![near],
        None => same_name.collect(),
    };
    let hint = match (all.len(), near.as_slice()) {
        (0, _) => "the input has none".to_owned(),
        (1, []) => format!("the only one is `{}`", all[0].0),
        (count, []) => format!("there are {count}, such as `{}`", all[0].0),
        (count, near) => format!("did you mean `{}`? There are {count}", near.join("`, `")),
    };
    format!("there is no proxy `{wanted}`: {hint}")
}

fn form(format: ProxyConfigFormat) -> Form {
    match format {
        ProxyConfigFormat::Text => Form::Text,
        ProxyConfigFormat::Json => Form::Json,
        ProxyConfigFormat::Yaml => Form::Yaml,
    }
}

fn layers(argument: LayerArgument) -> &'static [Layer] {
    match argument {
        LayerArgument::All => &Layer::ALL,
        LayerArgument::Listeners => &[Layer::Listeners],
        LayerArgument::Routes => &[Layer::Routes],
        LayerArgument::Clusters => &[Layer::Clusters],
        LayerArgument::Endpoints => &[Layer::Endpoints],
        LayerArgument::Secrets => &[Layer::Secrets],
    }
}
