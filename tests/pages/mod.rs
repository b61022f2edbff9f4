//! Rule pages: their sections, examples and generated parts.

#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use meshlint::rules::{self, Check, Fixes, Rule};

/// One file of an example.
#[derive(Clone, Debug)]
pub struct ExampleFile {
    pub name: String,
    /// Without the marks.
    pub text: String,
    /// Line and severity of each mark.
    pub marks: Vec<(u32, String)>,
}

/// Files that are one input.
#[derive(Clone, Debug, Default)]
pub struct Example {
    pub files: Vec<ExampleFile>,
    /// The fence says `complete`.
    pub complete: bool,
    /// The fence says `limit=N`.
    pub limit: Option<usize>,
    /// The fence says `istio=X.Y`.
    pub istio: Option<String>,
}

impl Example {
    pub fn marked(&self) -> BTreeSet<(String, u32, String)> {
        let marks = |file: &ExampleFile| {
            file.marks
                .iter()
                .map(|(line, severity)| (file.name.clone(), *line, severity.clone()))
                .collect::<Vec<_>>()
        };
        self.files.iter().flat_map(marks).collect()
    }
}

/// A page by section.
#[derive(Debug)]
pub struct Page {
    pub flagged: Vec<Example>,
    pub fixed: Vec<Example>,
    pub accepted: Vec<Example>,
}

impl Page {
    pub fn read(rule: &Rule) -> Self {
        let page = rule.page.replace("\r\n", "\n");
        assert!(
            page.starts_with(&format!("# {}\n", rule.id)),
            "{}: the title is the id",
            rule.id
        );
        let section = |title: &str| {
            let start = page.find(&format!("\n## {title}\n")).map(|at| at + title.len() + 5);
            start.map_or("", |start| page[start..].split("\n## ").next().unwrap_or_default())
        };
        assert!(!section("Why").trim().is_empty(), "{}: the page says why", rule.id);
        Self {
            flagged: examples(section("Flagged")),
            fixed: examples(section("Fixed")),
            accepted: examples(section("Accepted")),
        }
    }
}

/// Blocks with a `file=` name that follow each other are one input; a name that is there already, a block without a name
/// and a heading begin a new one.
fn examples(section: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut fresh = true;
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("### ") {
            fresh = true;
        }
        let Some(info) = line.strip_prefix("```yaml").or_else(|| line.strip_prefix("```json")) else {
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let word = |key: &str| info.split_whitespace().find_map(|word| word.strip_prefix(key));
        let named = word("file=");
        let file = example_file(named.unwrap_or("example.yaml"), &body);
        let repeated = examples
            .last()
            .is_some_and(|example| example.files.iter().any(|other| other.name == file.name));
        if fresh || named.is_none() || repeated {
            examples.push(Example::default());
        }
        fresh = named.is_none();
        let example = examples.last_mut().expect("one was pushed");
        example.complete |= info.split_whitespace().any(|word| word == "complete");
        example.istio = example.istio.take().or(word("istio=").map(str::to_owned));
        example.limit = example.limit.or(word("limit=").and_then(|limit| limit.parse().ok()));
        example.files.push(file);
    }
    examples
}

fn example_file(name: &str, body: &[&str]) -> ExampleFile {
    let mut file = ExampleFile {
        name: name.to_owned(),
        text: String::new(),
        marks: Vec::new(),
    };
    for (number, line) in (1..).zip(body) {
        let mark = ["error", "warning", "note"].into_iter().find_map(|severity| {
            let at = line.rfind(&format!("# {severity}"))?;
            let rest = &line[at + severity.len() + 2..];
            (rest.is_empty() || rest.starts_with(':')).then_some((at, severity))
        });
        let kept = match mark {
            Some((at, severity)) => {
                file.marks.push((number, severity.to_owned()));
                line[..at].trim_end()
            }
            None => line,
        };
        file.text.push_str(kept);
        file.text.push('\n');
    }
    file
}

const FACTS: &str = "<!-- facts: generated, do not edit -->";

fn facts(rule: &Rule) -> String {
    let fixable = match rule.fixes {
        Fixes::Never => "never fixable",
        Fixes::Sometimes => "sometimes fixable",
    };
    let looks = match rule.check {
        Check::Resource(_) => "looks at one resource",
        Check::Mesh(_) => "looks at the mesh",
        Check::Proxy(_) => "looks at what istiod would push",
        Check::Run => "found by the run itself",
    };
    let mut line = format!("{} · {fixable} · since {} · {looks}", rule.severity, rule.since);
    if !rule.aliases.is_empty() {
        write!(line, " · also {}", rule.aliases.join(", ")).expect("a string takes all text");
    }
    line
}

/// The page with its facts renewed.
pub fn with_facts(rule: &Rule) -> String {
    let page = rule.page.replace("\r\n", "\n");
    let mut paragraphs: Vec<String> = page.split("\n\n").map(str::to_owned).collect();
    let fresh = format!("{FACTS}\n{}", facts(rule));
    match paragraphs.iter().position(|paragraph| paragraph.starts_with(FACTS)) {
        Some(at) => paragraphs[at] = fresh,
        None => paragraphs.insert(2.min(paragraphs.len()), fresh),
    }
    paragraphs.join("\n\n")
}

/// The list of all rules.
pub fn index() -> String {
    let mut text =
        "# Rules\n\nGenerated from the rules and their pages; `UPDATE=1 cargo test` renews it.\n\n".to_owned();
    text.push_str("| rule | severity | what it says | also |\n| --- | --- | --- | --- |\n");
    let mut all: Vec<_> = rules::all().collect();
    all.sort_by_key(|rule| rule.id);
    for rule in all {
        let summary = rule.summary().replace('\n', " ").replace('|', "\\|");
        writeln!(
            text,
            "| [{0}]({0}.md) | {1} | {summary} | {2} |",
            rule.id,
            rule.severity,
            rule.aliases.join(", ")
        )
        .expect("a string takes all text");
    }
    text
}

/// A generated file is as it should be; with `UPDATE=1` it is made so.
pub fn keep(path: &str, wanted: &str) {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&full, wanted).unwrap_or_else(|error| panic!("{path}: {error}"));
        return;
    }
    let found = fs::read_to_string(&full).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(found, wanted, "{path} is stale: run `UPDATE=1 cargo test`");
}
