//! What istiod would push in, tables, JSON or YAML out.
//!
//! Tables have the columns of `istioctl proxy-config` and a last one with the place that made the row. Proxies are
//! written one at a time.

mod clusters;
mod endpoints;
mod fields;
mod listeners;
mod routes;
mod secrets;
mod table;
mod yaml;

use std::io;

use serde::Serialize;
use serde::ser::SerializeMap;

use super::neutral::{visible, write_json};
use crate::envoy::{Configuration, ProxyConfiguration};
use crate::source::Sources;
use table::Table;

/// The forms in which configurations are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Tables, for people.
    Text,
    /// `{"proxies": {ID: {LAYER: […]}}}`
    Json,
    /// The same as YAML.
    Yaml,
}

/// A part of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// LDS.
    Listeners,
    /// RDS.
    Routes,
    /// CDS.
    Clusters,
    /// EDS.
    Endpoints,
    /// SDS.
    Secrets,
}

impl Layer {
    /// All of them, in the order in which they are printed.
    pub const ALL: [Layer; 5] = [
        Layer::Listeners,
        Layer::Routes,
        Layer::Clusters,
        Layer::Endpoints,
        Layer::Secrets,
    ];
}

/// Writes the configurations of proxies.
#[derive(Clone, Copy, Debug)]
pub struct Proxies<'r> {
    /// The form.
    pub form: Form,
    /// What is written of each.
    pub layers: &'r [Layer],
    /// The files that places lie in.
    pub sources: &'r Sources,
    /// Whether tables stand under the name of their proxy.
    pub headings: bool,
}

impl Proxies<'_> {
    /// Writes what comes before the first proxy.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn begin(&self, out: &mut dyn io::Write) -> io::Result<()> {
        match self.form {
            Form::Text => Ok(()),
            Form::Json => out.write_all(b"{\"proxies\": {"),
            Form::Yaml => out.write_all(b"proxies:"),
        }
    }

    /// Writes a proxy; `is_first` if none was written before.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn proxy(
        &self,
        id: &str,
        configuration: &ProxyConfiguration,
        is_first: bool,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let whole = configuration.whole();
        let chosen = Chosen {
            layers: self.layers,
            configuration: &whole,
        };
        match self.form {
            Form::Text => self.tables(id, &whole, is_first, out),
            Form::Json => {
                out.write_all(if is_first { b"\n" } else { b",\n" })?;
                write_json(&id, out)?;
                out.write_all(b": ")?;
                write_json(&chosen, out)
            }
            Form::Yaml => yaml::entry(id, &json(&chosen), 1, out),
        }
    }

    /// Writes what comes after the last proxy; `is_empty` if there was none.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn end(&self, is_empty: bool, out: &mut dyn io::Write) -> io::Result<()> {
        match self.form {
            Form::Text => Ok(()),
            Form::Json => out.write_all(b"\n}}\n"),
            Form::Yaml if is_empty => out.write_all(b" {}\n"),
            Form::Yaml => out.write_all(b"\n"),
        }
    }

    fn tables(
        &self,
        id: &str,
        configuration: &Configuration,
        is_first: bool,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        if self.headings {
            let gap = if is_first { "" } else { "\n" };
            writeln!(out, "{gap}{}:", visible(id))?;
        }
        for (index, layer) in self.layers.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            self.table(*layer, configuration).write(out)?;
        }
        Ok(())
    }

    fn table(&self, layer: Layer, configuration: &Configuration) -> Table {
        match layer {
            Layer::Listeners => listeners::table(self.sources, &configuration.listeners),
            Layer::Routes => routes::table(self.sources, &configuration.routes),
            Layer::Clusters => clusters::table(self.sources, &configuration.clusters),
            Layer::Endpoints => endpoints::table(self.sources, &configuration.endpoints),
            Layer::Secrets => secrets::table(&configuration.secrets),
        }
    }
}

/// Some layers of a configuration.
struct Chosen<'c> {
    layers: &'c [Layer],
    configuration: &'c Configuration,
}

impl Serialize for Chosen<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.layers.len()))?;
        for layer in self.layers {
            match layer {
                Layer::Listeners => map.serialize_entry("listeners", &self.configuration.listeners),
                Layer::Routes => map.serialize_entry("routes", &self.configuration.routes),
                Layer::Clusters => map.serialize_entry("clusters", &self.configuration.clusters),
                Layer::Endpoints => map.serialize_entry("endpoints", &self.configuration.endpoints),
                Layer::Secrets => map.serialize_entry("secrets", &self.configuration.secrets),
            }?;
        }
        map.end()
    }
}

/// A message as JSON, from which tables read.
fn json(message: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(message).expect("messages are JSON")
}
