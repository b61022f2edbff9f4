//! What must hold for the tree itself: stages only look back, rules are named the same everywhere, formats and crates stay
//! in their folders.

#![allow(missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use meshlint::rules;

/// Each stage may use only the stages before it.
const STAGES: [&str; 13] = [
    "source", "values", "yaml", "schema", "model", "mesh", "envoy", "findings", "rules", "lint", "config", "report",
    "cli",
];

/// Uses of a later stage, and uses that hide which stage they are of.
fn looks_ahead(stage: &str, text: &str) -> Vec<String> {
    let own = STAGES
        .iter()
        .position(|other| *other == stage)
        .expect("a folder of src is a stage");
    let mut faults = Vec::new();
    for line in text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")) {
        let code = line.split("//").next().unwrap_or_default();
        if code.contains("use crate::{") || code.contains("super::super") {
            faults.push(format!(
                "`{}` hides what it uses: one `use crate::stage::…` per line",
                line.trim()
            ));
        }
        for later in &STAGES[own + 1..] {
            let path = format!("crate::{later}");
            let used = code.match_indices(&path).any(|(found, _)| {
                !code[found + path.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            });
            if used {
                faults.push(format!("`{stage}` uses the later stage `{later}`: {}", line.trim()));
            }
        }
    }
    faults
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Vec<(String, PathBuf, String)> {
    let mut found = Vec::new();
    files(&root().join("src"), "rs", &mut found);
    let mut all = Vec::new();
    for path in found {
        let relative = path
            .strip_prefix(root().join("src"))
            .expect("it lies in src")
            .to_path_buf();
        let mut parts = relative.components();
        let first = parts
            .next()
            .expect("a file has a name")
            .as_os_str()
            .to_string_lossy()
            .into_owned();
        if parts.next().is_some() {
            let text = fs::read_to_string(&path).expect("a source is text");
            all.push((first, relative, text));
        }
    }
    all
}

#[test]
fn stages_only_look_back() {
    let faults: Vec<_> = sources()
        .iter()
        .flat_map(|(stage, path, text)| {
            looks_ahead(stage, text)
                .into_iter()
                .map(move |fault| format!("{}: {fault}", path.display()))
        })
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn planted_violations_are_seen() {
    assert_eq!(looks_ahead("yaml", "use crate::mesh::Mesh;").len(), 1);
    assert_eq!(looks_ahead("mesh", "use crate::{rules, yaml};").len(), 1);
    assert_eq!(looks_ahead("mesh", "let x = crate::report::write();").len(), 1);
    assert!(looks_ahead("mesh", "use crate::yaml::Node; // crate::rules").is_empty());
}

#[test]
fn every_stage_says_what_comes_in_and_what_goes_out() {
    for stage in STAGES {
        let text = fs::read_to_string(root().join("src").join(stage).join("mod.rs")).expect("a stage has a mod.rs");
        assert!(
            text.starts_with("//! "),
            "{stage}/mod.rs opens with what comes in and what goes out"
        );
    }
}

#[test]
fn a_rule_has_one_name_at_every_place() {
    let mut code = Vec::new();
    files(&root().join("src/rules"), "rs", &mut code);
    let stem = |path: &PathBuf| {
        path.file_stem()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned()
    };
    let mut in_code: Vec<_> = code
        .iter()
        .map(stem)
        .filter(|name| name != "mod")
        .map(|name| name.replace('_', "-"))
        .collect();
    let mut pages = Vec::new();
    files(&root().join("rules"), "md", &mut pages);
    let mut in_pages: Vec<_> = pages.iter().map(stem).filter(|name| name != "README").collect();
    let mut listed: Vec<_> = rules::all().map(|rule| rule.id.to_owned()).collect();
    [&mut in_code, &mut in_pages, &mut listed]
        .into_iter()
        .for_each(|names| names.sort());
    assert_eq!(listed, in_code, "rules that are listed, and files under src/rules");
    assert_eq!(listed, in_pages, "rules that are listed, and pages under rules/");
}

#[test]
fn names_are_the_defect() {
    for rule in rules::all() {
        let remedy = ["no-", "invalid-", "use-", "avoid-", "disallow-"]
            .iter()
            .any(|prefix| rule.id.starts_with(prefix));
        assert!(!remedy, "{}: name the defect", rule.id);
        assert!(!rule.summary().is_empty(), "{}: the page has a summary", rule.id);
    }
}

/// A word that only one folder may know.
const SECRETS: [(&str, &str); 4] = [
    ("granit_parser", "yaml/parse.rs"),
    ("miette::", "report/"),
    ("petgraph::", "mesh/"),
    ("clap::", "cli/"),
];

#[test]
fn crates_stay_in_their_folders() {
    for (_, path, text) in sources() {
        let path = path.to_string_lossy().replace('\\', "/");
        for (word, home) in SECRETS {
            assert!(
                !text.contains(word) || path.starts_with(home),
                "{path} knows `{word}`, which belongs to {home}"
            );
        }
    }
}

#[test]
fn there_is_no_drawer() {
    for (_, path, _) in sources() {
        let name = path
            .file_stem()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        let drawer = ["utils", "util", "common", "helpers", "manager", "engine", "core"].contains(&name.as_str());
        assert!(!drawer, "{}: a helper lives with the concept it serves", path.display());
    }
}

/// Conditions of the schemas that a rule says in their place name that rule.
#[test]
fn conditions_leave_the_word_to_rules_that_exist() {
    let mut schemas = Vec::new();
    files(&root().join("schemas"), "json", &mut schemas);
    let texts = schemas
        .iter()
        .map(|path| fs::read_to_string(path).expect("it can be read"));
    let named: Vec<String> = texts
        .flat_map(|text| {
            let parts = text.split("\"x-rule\": \"").skip(1);
            let ids = parts.filter_map(|part| part.split('"').next().map(str::to_owned));
            ids.collect::<Vec<_>>()
        })
        .collect();
    assert!(named.len() > 10, "the schemas name rules");
    for id in named {
        assert!(rules::by_id(&id).is_some(), "there is no rule `{id}`");
    }
}
