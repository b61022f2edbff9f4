//! The command line program: arguments in, exit code out.

/// Static builds on musl have a slow allocator of their own, and a run makes a million small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    meshlint::cli::run(std::env::args_os())
}
