//! Arguments in, exit code out: the only stage that reads the command line and writes to the terminal.

mod args;
mod check;
mod input;
mod print;
mod progress;
mod proxy_config;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};

/// Nothing at or above `--fail-on`.
pub const CLEAN: u8 = 0;
/// Findings at or above `--fail-on`.
pub const FOUND: u8 = 1;
/// Arguments, our own configuration, the disk.
pub const UNUSABLE: u8 = 2;
/// A rule broke.
pub const BROKEN: u8 = 3;

/// Runs the program. `meshlint PATH` is `meshlint check PATH`.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(with_command(arguments)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { UNUSABLE } else { CLEAN };
            let _ = error.print();
            return code.into();
        }
    };
    let done = match arguments.command {
        Command::Check(options) => check::check(&options),
        Command::Explain { rule } => print::explain(&rule),
        Command::Rules => print::rules(),
        Command::Schema { kind, group } => print::schema(&kind, group.as_deref()),
        Command::ProxyConfig(options) => proxy_config::proxy_config(&options),
        Command::Completions { shell } => print::completions(shell),
    };
    match done {
        Ok(code) => code.into(),
        // Whoever reads us has seen enough.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => CLEAN.into(),
        Err(failure) => {
            print::failure(&failure);
            UNUSABLE.into()
        }
    }
}

/// What ends a run without an answer.
#[derive(Debug)]
enum Failure {
    /// The report could not be written.
    Output(io::Error),
    /// Anything that the user can mend, in words.
    Usage(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

type Done = Result<u8, Failure>;

/// Puts `check` where no command is named.
fn with_command(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<_> = arguments.into_iter().collect();
    let first = arguments
        .get(1)
        .and_then(|argument| argument.to_str())
        .unwrap_or_default();
    let command = Arguments::command();
    let known = command.get_subcommands().any(|sub| sub.get_name() == first);
    if !known && !["help", "--help", "-h", "--version", "-V"].contains(&first) {
        arguments.insert(1.min(arguments.len()), "check".into());
    }
    arguments
}
