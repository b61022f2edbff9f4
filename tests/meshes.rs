//! Whole meshes: the correct ones stay silent, what is said of their broken twins is pinned.

#![allow(missing_docs)]

use std::fmt::Write;

use meshlint::lint::{self, Options, Outcome};
use meshlint::mesh::{Given, Mesh, Settings};
use meshlint::model::{self, ReadOptions};
use meshlint::source::{self, Input, Sources, Words};

fn load(folder: &str) -> Sources {
    let path = format!("{}/testdata/meshes/{folder}", env!("CARGO_MANIFEST_DIR"));
    source::discover(&[Input {
        path: path.into(),
        cluster: String::new(),
    }])
    .expect("the folder is there")
}

fn outcome(sources: &mut Sources, complete: bool) -> Outcome {
    let read = ReadOptions::default();
    let words = Words::default();
    let manifests = model::read(sources, &words, &read);
    let given = Given {
        complete,
        ..Given::default()
    };
    let mesh_config = model::embed(sources, &manifests).pop().map(|(_, file)| file);
    let mesh = Mesh::index(
        sources,
        manifests,
        Settings::new(&given, &words, mesh_config.as_ref(), None),
    );
    lint::run(&mesh, &Options::default())
}

fn lines(sources: &Sources, outcome: &Outcome, folder: &str) -> String {
    let mut text = String::new();
    for reported in &outcome.findings {
        let finding = &reported.finding;
        let file = sources.file(finding.span);
        let at = file.position(file.range(finding.span).start);
        let path = file.path.as_str().replace('\\', "/");
        let path = path
            .split_once(&format!("/{folder}/"))
            .map_or(path.as_str(), |(_, rest)| rest);
        let name = reported
            .resource
            .as_ref()
            .map(|name| format!("{} {}/{}", name.kind, name.namespace, name.name));
        writeln!(
            text,
            "{path}:{}:{}: {}[{}] {}",
            at.line, at.column, finding.severity, finding.rule, finding.message
        )
        .expect("a string takes all text");
        writeln!(text, "    {} {}", name.unwrap_or_default(), reported.field).expect("a string takes all text");
    }
    text
}

#[test]
fn correct_meshes_are_silent() {
    for folder in ["shop", "inference", "upgrade"] {
        for complete in [false, true] {
            let mut sources = load(folder);
            let outcome = outcome(&mut sources, complete);
            assert_eq!(lines(&sources, &outcome, folder), "", "{folder}, complete: {complete}");
            assert!(outcome.summary.resources > 20, "{folder} was read");
        }
    }
}

#[test]
fn broken_twins_are_pinned() {
    for folder in ["shop-broken", "inference-broken", "upgrade-broken"] {
        let mut sources = load(folder);
        let outcome = outcome(&mut sources, false);
        insta::assert_snapshot!(folder, lines(&sources, &outcome, folder));
    }
}

#[test]
fn order_of_files_and_threads_does_not_matter() {
    let said = |reverse: bool, threads: usize| {
        let mut texts: Vec<_> = load("shop-broken")
            .files
            .into_iter()
            .map(|file| (file.path.clone(), file.text().to_owned()))
            .collect();
        if reverse {
            texts.reverse();
        }
        let mut sources = Sources::from_texts(texts);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads can be started");
        let outcome = pool.install(|| outcome(&mut sources, false));
        let mut said: Vec<String> = lines(&sources, &outcome, "shop-broken")
            .lines()
            .map(str::to_owned)
            .collect();
        said.sort();
        said
    };
    let first = said(false, 1);
    assert!(!first.is_empty());
    assert_eq!(first, said(false, 4));
    assert_eq!(first, said(true, 3));
}
