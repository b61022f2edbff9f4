//! `meshlint check`: the whole line, once.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use similar::TextDiff;

use super::args::{CheckArguments, Color, Fixing};
use super::progress::Progress;
use super::{BROKEN, CLEAN, Done, FOUND, Failure, print};
use crate::config::{self, Config, FailOn};
use crate::findings::{Safety, Severity};
use crate::lint::baseline::{self, Baseline};
use crate::lint::fix::{self, Fixed};
use crate::lint::{self, Level, Options, Outcome};
use crate::mesh::{Given, Mesh, Settings};
use crate::model::{self, Manifests, ReadOptions};
use crate::report::{self, Format, Report};
use crate::rules;
use crate::schema::Definitions;
use crate::source::{self, FileId, Input, SourceFile, Sources, Words};

/// Checks, mends if asked to, and reports.
pub fn check(arguments: &CheckArguments) -> Done {
    let mut run = Run::load(arguments)?;
    let outcome = run.outcome();
    let fixed = run.fixes(&outcome);
    unchanged(&run.sources)?;
    if arguments.write_baseline {
        return run.write_baseline(&outcome);
    }
    if arguments.diff {
        show(&run.sources, &fixed)?;
        return Ok(if fixed.is_empty() { CLEAN } else { FOUND });
    }
    if fixed.is_empty() {
        return run.report(&outcome);
    }
    write(&run.sources, &fixed)?;
    let mut again = Run::load(arguments)?;
    let outcome = again.outcome();
    again.report(&outcome)
}

/// The files, and all that was said about them.
struct Run<'r> {
    arguments: &'r CheckArguments,
    sources: Sources,
    options: Options,
    given: Given,
    read: ReadOptions,
    mesh_config: Option<FileId>,
    baseline: Option<Utf8PathBuf>,
    fail_on: FailOn,
}

impl<'r> Run<'r> {
    fn load(arguments: &'r CheckArguments) -> Result<Self, Failure> {
        let progress = Progress::start("reading files".into());
        let mut sources = source::discover(&inputs(arguments)?).map_err(|error| Failure::Usage(error.to_string()))?;
        drop(progress);
        let config = load_config(arguments, &mut sources)?;
        let fail_on = arguments
            .fail_on
            .as_deref()
            .and_then(FailOn::from_name)
            .or(config.fail_on);
        let baseline = arguments.baseline.clone().or_else(|| config.baseline.clone());
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
        if let Some(path) = &arguments.mesh_networks {
            add_settings(&mut sources, path, "MeshNetworks")?;
        }
        let options = lint_options(arguments, config, &sources, baseline.as_deref())?;
        Ok(Self {
            arguments,
            sources,
            options,
            given,
            read,
            mesh_config,
            baseline,
            fail_on: fail_on.unwrap_or(FailOn::At(Severity::Error)),
        })
    }

    /// The line itself. From here on nothing fails: whatever is wrong with the input is a finding.
    fn outcome(&mut self) -> Outcome {
        let progress = Progress::start(format!("checking {} files", self.sources.manifests()));
        let words = Words::default();
        let manifests = model::read(&mut self.sources, &words, &self.read);
        let named = self.mesh_config.and_then(|id| self.sources.files.get(id as usize));
        let embedded = embedded_mesh_config(&self.sources, &manifests);
        let settings = Settings::new(&self.given, named.or(embedded.as_ref()));
        let mesh = Mesh::index(&self.sources, manifests, settings);
        let outcome = lint::run(&mesh, &self.options);
        drop(progress);
        // A million small values: the process ends soon, and the system takes them back at once.
        std::mem::forget(mesh);
        outcome
    }

    fn fixes(&self, outcome: &Outcome) -> Vec<Fixed> {
        let least = match self.arguments.fix {
            None if !self.arguments.diff => return Vec::new(),
            None | Some(Fixing::Safe) => Safety::Safe,
            Some(Fixing::All) => Safety::Risky,
        };
        fix::fix(&self.sources, outcome, least)
    }

    fn write_baseline(&self, outcome: &Outcome) -> Done {
        let path = self
            .baseline
            .as_ref()
            .ok_or_else(|| Failure::Usage("--write-baseline needs --baseline FILE".into()))?;
        fs::write(path, baseline::write(outcome)).map_err(|error| cannot("write", path, &error))?;
        writeln!(
            io::stdout(),
            "{} findings are now known in {path}",
            outcome.findings.len()
        )?;
        Ok(CLEAN)
    }

    fn report(&self, outcome: &Outcome) -> Done {
        let format = Format::from_name(&self.arguments.format).expect("the arguments allow known formats only");
        if let Some(path) = &self.arguments.output {
            let file = File::create(path).map_err(|error| cannot("write", path, &error))?;
            let mut out = BufWriter::new(file);
            report::write(format, &self.dressed(outcome, false), &mut out)?;
            out.flush()?;
        } else {
            let terminal = io::stdout().is_terminal();
            let mut out = BufWriter::new(io::stdout().lock());
            report::write(format, &self.dressed(outcome, terminal), &mut out)?;
            out.flush()?;
        }
        unchanged(&self.sources)?;
        Ok(match self.fail_on {
            _ if outcome.internal_error => BROKEN,
            FailOn::At(severity) if outcome.reaches(severity) => FOUND,
            _ => CLEAN,
        })
    }

    fn dressed<'o>(&'o self, outcome: &'o Outcome, terminal: bool) -> Report<'o> {
        let color = match self.arguments.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
        let working_directory = std::env::current_dir()
            .ok()
            .and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
        Report {
            outcome,
            sources: &self.sources,
            color,
            unicode: terminal && color,
            width,
            working_directory: working_directory.unwrap_or_default(),
        }
    }
}

fn inputs(arguments: &CheckArguments) -> Result<Vec<Input>, Failure> {
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

fn load_config(arguments: &CheckArguments, sources: &mut Sources) -> Result<Config, Failure> {
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

fn lint_options(
    arguments: &CheckArguments,
    config: Config,
    sources: &Sources,
    baseline: Option<&Utf8Path>,
) -> Result<Options, Failure> {
    let mut options = Options {
        levels: config.levels.into_iter().collect(),
        path_ignores: config.ignores,
        ..Options::default()
    };
    for entry in &arguments.rule {
        let level = entry
            .split_once('=')
            .and_then(|(name, level)| Some((name, Level::from_name(level)?)));
        let Some((name, level)) = level else {
            return Err(Failure::Usage(format!(
                "--rule takes RULE=off|note|warning|error, `{entry}` is not that"
            )));
        };
        options.levels.extend(ids(name)?.into_iter().map(|id| (id, level)));
    }
    let all = |names: &[String]| {
        names
            .iter()
            .map(|name| ids(name))
            .collect::<Result<Vec<_>, _>>()
            .map(|ids| ids.concat())
    };
    options.select = if arguments.select.is_empty() {
        None
    } else {
        Some(all(&arguments.select)?)
    };
    options.ignore = all(&arguments.ignore)?;
    let min_severity = arguments
        .min_severity
        .as_deref()
        .and_then(Severity::from_name)
        .or(config.min_severity);
    options.min_severity = min_severity.unwrap_or(Severity::Note);
    options.limits.services_per_proxy = config.services_per_proxy.unwrap_or(options.limits.services_per_proxy);
    let folder = sources
        .config
        .map(|id| &sources.files[id as usize].path)
        .and_then(|path| path.parent());
    options.root = folder.map(Utf8Path::to_owned).unwrap_or_default();
    if let Some(path) = baseline.filter(|_| !arguments.write_baseline) {
        let text = String::from_utf8(read_file(path)?).ok();
        let known = text.and_then(|text| Baseline::parse(&text));
        options.baseline = Some(known.ok_or_else(|| Failure::Usage(format!("`{path}` is no baseline of meshlint")))?);
    }
    Ok(options)
}

fn ids(name: &str) -> Result<Vec<&'static str>, Failure> {
    let found = rules::named(name.trim());
    if found.is_empty() {
        Err(Failure::Usage(print::unknown_rule(name)))
    } else {
        Ok(found.iter().map(|rule| rule.id).collect())
    }
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

fn read_file(path: &Utf8Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| cannot("read", path, &error))
}

fn cannot(what: &str, path: &Utf8Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("cannot {what} `{path}`: {error}"))
}

/// What was said of a file that changed meanwhile may be wrong.
fn unchanged(sources: &Sources) -> Result<(), Failure> {
    match sources.files.iter().find(|file| file.has_changed()) {
        Some(file) => Err(Failure::Usage(format!(
            "`{}` changed while it was read: run again",
            file.path
        ))),
        None => Ok(()),
    }
}

fn write(sources: &Sources, fixed: &[Fixed]) -> Result<(), Failure> {
    for change in fixed {
        let path = &sources.files[change.file as usize].path;
        fs::write(path, &change.text).map_err(|error| cannot("write", path, &error))?;
    }
    Ok(())
}

fn show(sources: &Sources, fixed: &[Fixed]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for change in fixed {
        let file = &sources.files[change.file as usize];
        let diff = TextDiff::from_lines(file.text(), &change.text);
        write!(
            out,
            "{}",
            diff.unified_diff().header(file.path.as_str(), file.path.as_str())
        )?;
    }
    Ok(out.flush()?)
}
