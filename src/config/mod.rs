//! `.meshlint.yaml`, our own file.
//!
//! Takes the file's text and hands on a [`Config`], or [`ConfigErrors`] with line and column: a fault here is the user's
//! with us, not one of the manifests, and ends the run. Read by hand through our own tree, so that every value has its
//! place and every key that nothing reads is reported.

mod read;

use std::fmt;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};

use crate::findings::Severity;
use crate::lint::{Level, PathIgnore};
use crate::source::SourceFile;
use crate::values::minor::Minor;

/// What the configuration says. What it leaves out is `None`.
#[derive(Debug, Default)]
pub struct Config {
    /// `complete`: what is not in the input does not exist.
    pub complete: Option<bool>,
    /// `namespace`: that of documents without one.
    pub namespace: Option<String>,
    /// `istio-version`.
    pub istio_version: Option<Minor>,
    /// `cluster-domain`.
    pub cluster_domain: Option<String>,
    /// `root-namespace`.
    pub root_namespace: Option<String>,
    /// `crds`: a file or folder, relative to the configuration.
    pub crds: Option<Utf8PathBuf>,
    /// `mesh-config`: a file, relative to the configuration.
    pub mesh_config: Option<Utf8PathBuf>,
    /// `baseline`: a file, relative to the configuration.
    pub baseline: Option<Utf8PathBuf>,
    /// `fail-on`.
    pub fail_on: Option<FailOn>,
    /// `min-severity`.
    pub min_severity: Option<Severity>,
    /// `rules`: levels by rule id.
    pub levels: Vec<(&'static str, Level)>,
    /// `limits.services-per-proxy`.
    pub services_per_proxy: Option<usize>,
    /// `ignore`.
    pub ignores: Vec<PathIgnore>,
}

/// From which severity on findings fail a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// From this one on.
    At(Severity),
    /// Not at all.
    Never,
}

impl FailOn {
    /// The meaning of a word: a severity, or `never`.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "never" {
            Some(FailOn::Never)
        } else {
            Severity::from_name(name).map(FailOn::At)
        }
    }
}

/// What is wrong with the configuration, all of it.
#[derive(Debug)]
pub struct ConfigErrors {
    /// The file.
    pub path: Utf8PathBuf,
    /// Line, column and message of each fault.
    pub errors: Vec<(u32, u32, String)>,
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (line, column, message)) in self.errors.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}:{line}:{column}: {message}", self.path)?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// The names a configuration may have.
const NAMES: [&str; 2] = [".meshlint.yaml", ".meshlint.yml"];

/// The configuration that holds for a folder: the nearest one upwards, not past the top of the repository.
pub fn find(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    for ancestor in folder.ancestors() {
        if let Some(found) = NAMES.iter().map(|name| ancestor.join(name)).find(|path| path.is_file()) {
            return Some(found);
        }
        if Path::new(ancestor).join(".git").exists() {
            return None;
        }
    }
    None
}

impl Config {
    /// Reads a configuration.
    ///
    /// # Errors
    /// Text that is no YAML, unknown keys, rules and values, values of the wrong type.
    pub fn read(file: &SourceFile) -> Result<Self, ConfigErrors> {
        let mut reader = read::Reader::new(file);
        let config = reader.config();
        reader.finish(config)
    }
}
