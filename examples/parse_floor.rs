//! The time that reading the files and running the YAML event parser over them takes, with nothing made of the events:
//! what a whole run of meshlint is measured against.
//!
//! usage: parse_floor PATH…

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use granit_parser::{Options, Parser};
use meshlint::source::{self, Input};
use rayon::prelude::*;

fn main() -> ExitCode {
    let inputs: Vec<Input> = std::env::args()
        .skip(1)
        .map(|path| Input {
            path: path.into(),
            cluster: String::new(),
        })
        .collect();
    let sources = match source::discover(&inputs) {
        Ok(sources) => sources,
        Err(error) => {
            eprintln!("parse_floor: {error}");
            return ExitCode::from(2);
        }
    };
    let events: usize = sources.files.par_iter().map(|file| events(file.text())).sum();
    let bytes: usize = sources.files.iter().map(|file| file.text().len()).sum();
    println!("{} files, {bytes} bytes, {events} events", sources.files.len());
    ExitCode::SUCCESS
}

fn events(text: &str) -> usize {
    let mut options = Options::default();
    options.max_buffered_comment_events = usize::MAX;
    Parser::new_from_str_with_options(text, options)
        .take_while(Result::is_ok)
        .count()
}
