//! `meshlint check`: the whole line, once.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};
use similar::TextDiff;

use super::args::{CheckArguments, Color, Fixing};
use super::input::{Loaded, cannot, read_file, unchanged};
use super::progress::Progress;
use super::{BROKEN, CLEAN, Done, FOUND, Failure, print};
use crate::config::{Config, FailOn};
use crate::findings::{Safety, Severity};
use crate::lint::baseline::{self, Baseline};
use crate::lint::fix::{self, Fixed};
use crate::lint::{self, Level, Options, Outcome};
use crate::report::{self, Format, Report};
use crate::rules;
use crate::source::{Sources, Words};

/// Checks, mends if asked to, and reports.
pub fn check(arguments: &CheckArguments) -> Done {
    let mut run = Run::load(arguments)?;
    let outcome = run.outcome();
    let fixed = run.fixes(&outcome);
    unchanged(&run.input.sources)?;
    if arguments.write_baseline {
        return run.write_baseline(&outcome);
    }
    if arguments.diff {
        show(&run.input.sources, &fixed)?;
        return Ok(if fixed.is_empty() { CLEAN } else { FOUND });
    }
    if fixed.is_empty() {
        return run.report(&outcome);
    }
    write(&run.input.sources, &fixed)?;
    let mut again = Run::load(arguments)?;
    let outcome = again.outcome();
    again.report(&outcome)
}

/// The files, and all that was said about them.
struct Run<'r> {
    arguments: &'r CheckArguments,
    input: Loaded,
    options: Options,
    baseline: Option<Utf8PathBuf>,
    fail_on: FailOn,
}

impl<'r> Run<'r> {
    fn load(arguments: &'r CheckArguments) -> Result<Self, Failure> {
        let mut input = Loaded::load(&arguments.input)?;
        let config = std::mem::take(&mut input.config);
        let fail_on = arguments
            .fail_on
            .as_deref()
            .and_then(FailOn::from_name)
            .or(config.fail_on);
        let baseline = arguments.baseline.clone().or_else(|| config.baseline.clone());
        let options = lint_options(arguments, config, &input.sources, baseline.as_deref())?;
        Ok(Self {
            arguments,
            input,
            options,
            baseline,
            fail_on: fail_on.unwrap_or(FailOn::At(Severity::Error)),
        })
    }

    /// The line itself. From here on nothing fails: whatever is wrong with the input is a finding.
    fn outcome(&mut self) -> Outcome {
        let progress = Progress::start(format!("checking {} files", self.input.sources.manifests()));
        let words = Words::default();
        let mesh = self.input.mesh(&words);
        // A million small values: the process ends soon, and the system takes them back at once.
        let mesh = ManuallyDrop::new(mesh);
        let world = ManuallyDrop::new(OnceLock::new());
        let outcome = lint::run_with(&mesh, &world, &self.options);
        drop(progress);
        outcome
    }

    fn fixes(&self, outcome: &Outcome) -> Vec<Fixed> {
        let least = match self.arguments.fix {
            None if !self.arguments.diff => return Vec::new(),
            None | Some(Fixing::Safe) => Safety::Safe,
            Some(Fixing::All) => Safety::Risky,
        };
        fix::fix(&self.input.sources, outcome, least)
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
        unchanged(&self.input.sources)?;
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
            sources: &self.input.sources,
            color,
            unicode: terminal && color,
            width,
            working_directory: working_directory.unwrap_or_default(),
        }
    }
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
