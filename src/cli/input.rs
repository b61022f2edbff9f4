//! What every command reads: the files, the configuration, the mesh that they make.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::Failure;
use super::args::InputArguments;
use super::progress::Progress;
use crate::config::{self, Config};
use crate::mesh::{Given, Mesh, Settings};
use crate::model::{self, Manifests, ReadOptions};
use crate::schema::Definitions;
use crate::source::{self, FileId, Input, SourceFile, Sources, Words};

/// The files of a run and how they are to be read.
pub struct Loaded {
    /// The files.
    pub sources: Sources,
    /// Our own configuration.
    pub config: Config,
    given: Given,
    read: ReadOptions,
    mesh_config: Option<FileId>,
    mesh_networks: Option<FileId>,
}

impl Loaded {
    /// Finds the files that the arguments name.
    pub fn load(arguments: &InputArguments) -> Result<Self, Failure> {
        let progress = Progress::start("reading files".into());
        let mut sources = source::discover(&inputs(arguments)?).map_err(|error| Failure::Usage(error.to_string()))?;
        drop(progress);
        let config = load_config(arguments, &mut sources)?;
        let given = Given {
            complete: arguments.complete || config.complete == Some(true),
            cluster_domain: arguments
                .cluster_domain
                .clone()
                .or_else(|| config.cluster_domain.clone()),
            root_namespace: arguments
                .root_namespace
                .clone()
                .or_else(|| config.root_namespace.clone()),
            istiod_env: istiod_env(&arguments.istiod_env)?,
        };
        let read = ReadOptions {
            namespace: arguments.namespace.clone().or_else(|| config.namespace.clone()),
            definitions: definitions(arguments.crds.as_ref().or(config.crds.as_ref()))?,
            istio_version: arguments.istio_version.or(config.istio_version),
        };
        let mesh_config = arguments.mesh_config.as_ref().or(config.mesh_config.as_ref());
        let mesh_config = mesh_config
            .map(|path| add_settings(&mut sources, path, "MeshConfig"))
            .transpose()?;
        let mesh_networks = (arguments.mesh_networks.as_ref())
            .map(|path| add_settings(&mut sources, path, "MeshNetworks"))
            .transpose()?;
        Ok(Self {
            sources,
            config,
            given,
            read,
            mesh_config,
            mesh_networks,
        })
    }

    /// Reads the files into a mesh. Nothing fails here: whatever is wrong with the input is a finding.
    pub fn mesh<'a>(&'a mut self, words: &'a Words) -> Mesh<'a> {
        let manifests = model::read(&mut self.sources, words, &self.read);
        let file = |id: Option<FileId>| id.and_then(|id| self.sources.files.get(id as usize));
        let embedded = embedded_mesh_config(&self.sources, &manifests);
        let mesh_config = file(self.mesh_config).or(embedded.as_ref());
        let settings = Settings::new(&self.given, words, mesh_config, file(self.mesh_networks));
        Mesh::index(&self.sources, manifests, settings)
    }
}

fn istiod_env(entries: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let pairs = entries.iter().map(|entry| {
        let pair = entry.split_once('=').filter(|(key, _)| !key.is_empty());
        let pair = pair.map(|(key, value)| (key.to_owned(), value.to_owned()));
        pair.ok_or_else(|| Failure::Usage(format!("--istiod-env takes KEY=VALUE, `{entry}` is not that")))
    });
    pairs.collect()
}

fn inputs(arguments: &InputArguments) -> Result<Vec<Input>, Failure> {
    let mut inputs: Vec<Input> = arguments
        .paths
        .iter()
        .map(|path| Input {
            path: path.clone(),
            cluster: String::new(),
        })
        .collect();
    for cluster in &arguments.cluster {
        let Some((name, path)) = cluster
            .split_once('=')
            .filter(|(name, path)| !name.is_empty() && !path.is_empty())
        else {
            return Err(Failure::Usage(format!(
                "--cluster takes NAME=PATH, `{cluster}` is not that"
            )));
        };
        inputs.push(Input {
            path: path.into(),
            cluster: name.to_owned(),
        });
    }
    if inputs.is_empty() {
        inputs.push(Input {
            path: ".".into(),
            cluster: String::new(),
        });
    }
    Ok(inputs)
}

fn load_config(arguments: &InputArguments, sources: &mut Sources) -> Result<Config, Failure> {
    let here = std::env::current_dir()
        .ok()
        .and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
    let found = match (&arguments.config, arguments.no_config) {
        (Some(path), _) => Some(path.clone()),
        (None, true) => None,
        (None, false) => here.as_deref().and_then(config::find),
    };
    let Some(path) = found else {
        return Ok(Config::default());
    };
    let bytes = read_file(&path)?;
    let shown = here
        .as_deref()
        .and_then(|here| path.strip_prefix(here).ok())
        .map_or(path.clone(), Utf8Path::to_owned);
    let id = sources
        .add_config(shown, bytes)
        .ok_or_else(|| Failure::Usage("the input is larger than 4 GiB".into()))?;
    Config::read(&sources.files[id as usize]).map_err(|error| Failure::Usage(error.to_string()))
}

/// The definitions of kinds that the user named.
fn definitions(path: Option<&Utf8PathBuf>) -> Result<Arc<Definitions>, Failure> {
    let Some(path) = path else {
        return Ok(Arc::default());
    };
    let input = Input {
        path: path.clone(),
        cluster: String::new(),
    };
    let sources = source::discover(&[input]).map_err(|error| Failure::Usage(error.to_string()))?;
    let definitions = model::definitions(&sources);
    if definitions.is_empty() {
        return Err(Failure::Usage(format!("`{path}` has no CustomResourceDefinition")));
    }
    Ok(Arc::new(definitions))
}

/// Adds a file that holds settings of the mesh.
fn add_settings(sources: &mut Sources, path: &Utf8Path, kind: &'static str) -> Result<FileId, Failure> {
    let file = SourceFile::new(path.to_owned(), read_file(path)?, true, 0);
    sources
        .add(file.of_configuration(kind))
        .ok_or_else(|| Failure::Usage("the input is larger than 4 GiB".into()))
}

/// The mesh configuration among the ConfigMaps of the input: that of the default revision, or the only one.
fn embedded_mesh_config(sources: &Sources, manifests: &Manifests<'_>) -> Option<SourceFile> {
    let mut embedded = model::embed(sources, manifests);
    let default = embedded.iter().position(|(revision, _)| revision == "default");
    let chosen = default.or((embedded.len() == 1).then_some(0))?;
    Some(embedded.swap_remove(chosen).1)
}

pub fn read_file(path: &Utf8Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| cannot("read", path, &error))
}

pub fn cannot(what: &str, path: &Utf8Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("cannot {what} `{path}`: {error}"))
}

/// What was said of a file that changed meanwhile may be wrong.
pub fn unchanged(sources: &Sources) -> Result<(), Failure> {
    match sources.files.iter().find(|file| file.has_changed()) {
        Some(file) => Err(Failure::Usage(format!(
            "`{}` changed while it was read: run again",
            file.path
        ))),
        None => Ok(()),
    }
}
