//! The command line program: arguments in, exit code out.

fn main() -> std::process::ExitCode {
    meshlint::cli::run(std::env::args_os())
}
