//! Feeds the whole check with mangled manifests until the time is up: no panic, no hang, a place for every finding.
//!
//! usage: fuzz [--seconds N] [--seed N] [PATH…]
//!
//! Seeds are the files under `testdata`, or those given. The mutations follow from the seed alone.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use meshlint::lint::{self, Options};
use meshlint::mesh::{Given, Mesh, Settings};
use meshlint::model::{self, ReadOptions};
use meshlint::source::{self, Input, Sources, Words};

fn main() -> ExitCode {
    let mut seconds = 30;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut paths: Vec<String> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = |text: Option<String>| text.and_then(|text| text.parse().ok());
        match argument.as_str() {
            "--seconds" => seconds = number(arguments.next()).unwrap_or(seconds),
            "--seed" => random.0 ^= number(arguments.next()).unwrap_or(0),
            _ => paths.push(argument),
        }
    }
    if paths.is_empty() {
        paths.push(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata").to_owned());
    }
    let inputs: Vec<_> = paths
        .into_iter()
        .map(|path| Input {
            path: path.into(),
            cluster: String::new(),
        })
        .collect();
    let seeds: Vec<Vec<u8>> = match source::discover(&inputs) {
        Ok(sources) => sources
            .files
            .into_iter()
            .map(|file| file.text().as_bytes().to_vec())
            .filter(|bytes| bytes.len() < 20_000)
            .collect(),
        Err(error) => {
            eprintln!("fuzz: {error}");
            return ExitCode::from(2);
        }
    };
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut runs = 0_u64;
    let mut slowest = Duration::ZERO;
    while Instant::now() < end {
        let texts: Vec<_> = (0..=random.below(3))
            .map(|file| (format!("{file}.yaml"), mutant(&seeds, &mut random)))
            .collect();
        let before = Instant::now();
        check(texts, runs.is_multiple_of(2));
        slowest = slowest.max(before.elapsed());
        runs += 1;
    }
    println!("{runs} inputs, the slowest took {} ms", slowest.as_millis());
    if slowest < Duration::from_secs(5) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn check(texts: Vec<(String, Vec<u8>)>, complete: bool) {
    let mut sources = Sources::from_texts(texts);
    let read = ReadOptions::default();
    let words = Words::default();
    let manifests = model::read(&mut sources, &words, &read);
    let mesh_config = model::embed(&sources, &manifests).pop().map(|(_, file)| file);
    let mesh = Mesh::index(
        &sources,
        manifests,
        Settings::new(
            &Given {
                complete,
                ..Given::default()
            },
            &words,
            mesh_config.as_ref(),
            None,
        ),
    );
    let outcome = lint::run(&mesh, &Options::default());
    assert!(!outcome.internal_error, "a rule broke: {:?}", outcome.findings);
    for reported in &outcome.findings {
        let span = reported.finding.span;
        let file = sources.file(span);
        let inside = !span.is_empty() && file.text().get(file.range(span)).is_some();
        assert!(inside, "{:?} has no place", reported.finding);
    }
}

/// A seed with some bytes changed, cut, doubled, or parts of another seed put in.
fn mutant(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..random.below(8) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(40)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..to)),
            1 => {
                let part = bytes[at..to].to_vec();
                bytes.splice(at..at, part);
            }
            2 => {
                const TOKENS: [&str; 16] = [
                    "&a ", "*a", "<<: ", "---\n", "...\n", "\t", "{", "}", "[", "]", "|\n", "\"", "'", "\0",
                    "\u{FEFF}", "? ",
                ];
                bytes.splice(at..at, TOKENS[random.below(TOKENS.len())].bytes());
            }
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let from = random.below(other.len() + 1);
                let part = other[from..(from + random.below(200)).min(other.len())].to_vec();
                bytes.splice(at..at, part);
            }
            4 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).expect("it is below 256"),
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Xorshift: the same seed gives the same inputs everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % limit.max(1)
    }
}
