//! Every page under `rules/` is run: its flagged lines are hit and nothing else is, the fix gives what the page shows, and
//! what is fixed or accepted stays silent. `UPDATE=1` rewrites the facts and the index, `PAGE=<rule id>` runs one page.

#![allow(missing_docs)]

mod pages;

use std::collections::BTreeSet;

use meshlint::findings::Safety;
use meshlint::lint::{self, Options, Outcome, Reported};
use meshlint::mesh::{Given, Mesh, Settings};
use meshlint::model::{self, ReadOptions};
use meshlint::rules::{self, Check, Fixes, Rule};
use meshlint::source::{Sources, Words};
use meshlint::values::minor::Minor;

use pages::{Example, Page};

fn wanted() -> impl Iterator<Item = &'static Rule> {
    let only = std::env::var("PAGE").ok();
    rules::all().filter(move |rule| only.as_ref().is_none_or(|only| only == rule.id))
}

fn run(example: &Example, act: impl FnOnce(&Sources, &Outcome)) {
    let mut sources = Sources::from_texts(
        example
            .files
            .iter()
            .map(|file| (file.name.as_str(), file.text.as_bytes())),
    );
    let read = ReadOptions {
        istio_version: example.istio.as_deref().and_then(Minor::parse),
        ..ReadOptions::default()
    };
    let words = Words::default();
    let manifests = model::read(&mut sources, &words, &read);
    let mesh_config = model::embed(&sources, &manifests).pop().map(|(_, file)| file);
    let settings = Settings::new(
        &Given {
            complete: example.complete,
            ..Given::default()
        },
        &words,
        mesh_config.as_ref(),
        None,
    );
    let mesh = Mesh::index(&sources, manifests, settings);
    let mut options = Options::default();
    options.limits.services_per_proxy = example.limit.unwrap_or(options.limits.services_per_proxy);
    let outcome = lint::run(&mesh, &options);
    for reported in &outcome.findings {
        let span = reported.finding.span;
        let file = sources.file(span);
        assert!(
            !span.is_empty() && file.has(span),
            "{:?} has no place",
            reported.finding
        );
    }
    act(&sources, &outcome);
}

fn of<'o>(rule: &Rule, outcome: &'o Outcome) -> Vec<&'o Reported> {
    outcome
        .findings
        .iter()
        .filter(|reported| reported.finding.rule == rule.id)
        .collect()
}

fn describe(sources: &Sources, reported: &Reported) -> String {
    let file = sources.file(reported.finding.span);
    let line = file.position(file.range(reported.finding.span).start).line;
    format!(
        "{}:{line}: {}[{}] {}",
        file.path, reported.finding.severity, reported.finding.rule, reported.finding.message
    )
}

#[test]
fn flagged_lines_are_hit_and_nothing_else() {
    for rule in wanted() {
        let page = Page::read(rule);
        for example in &page.flagged {
            run(example, |sources, outcome| {
                let hit: BTreeSet<_> = of(rule, outcome)
                    .iter()
                    .map(|reported| {
                        let file = sources.file(reported.finding.span);
                        let line = file.position(file.range(reported.finding.span).start).line;
                        (file.path.to_string(), line, reported.finding.severity.to_string())
                    })
                    .collect();
                let marked = example.marked();
                let said: Vec<_> = of(rule, outcome)
                    .iter()
                    .map(|reported| describe(sources, reported))
                    .collect();
                assert_eq!(
                    hit, marked,
                    "{}: the findings are not those marked; found {said:#?}",
                    rule.id
                );
            });
        }
        let silent_by_nature = rule.id == "internal-error";
        assert!(
            silent_by_nature || !page.flagged.is_empty(),
            "{}: the page flags nothing",
            rule.id
        );
    }
}

#[test]
fn fixed_and_accepted_examples_are_silent() {
    for rule in wanted() {
        let page = Page::read(rule);
        for example in page.fixed.iter().chain(&page.accepted) {
            run(example, |sources, outcome| {
                let said: Vec<_> = of(rule, outcome)
                    .iter()
                    .map(|reported| describe(sources, reported))
                    .collect();
                assert!(said.is_empty(), "{}: must be silent, but says {said:#?}", rule.id);
            });
        }
        let silent_by_nature = matches!(rule.check, Check::Run);
        assert!(
            silent_by_nature || !page.accepted.is_empty(),
            "{}: the page accepts nothing",
            rule.id
        );
    }
}

#[test]
fn fixes_give_what_the_page_shows() {
    for rule in wanted() {
        let page = Page::read(rule);
        let mut fixes = 0;
        for (index, example) in page.flagged.iter().enumerate() {
            run(example, |sources, outcome| {
                let mut own = outcome.clone();
                own.findings.retain(|reported| reported.finding.rule == rule.id);
                let fixed = lint::fix::fix(sources, &own, Safety::Risky);
                fixes += fixed.len();
                if fixed.is_empty() {
                    return;
                }
                let wanted = page
                    .fixed
                    .get(index)
                    .unwrap_or_else(|| panic!("{}: no Fixed for example {index}", rule.id));
                let mut after = example.clone();
                for change in fixed {
                    after.files[change.file as usize].text = change.text;
                }
                let texts = |example: &Example| example.files.iter().map(|file| file.text.clone()).collect::<Vec<_>>();
                assert_eq!(texts(&after), texts(wanted), "{}: the fix of example {index}", rule.id);
                let before: BTreeSet<_> = outcome.findings.iter().map(|reported| reported.finding.rule).collect();
                run(&after, |_, outcome| {
                    let again = lint::fix::fix(sources, outcome, Safety::Risky);
                    let new = outcome
                        .findings
                        .iter()
                        .map(|reported| reported.finding.rule)
                        .find(|id| !before.contains(id));
                    assert_eq!(new, None, "{}: the fix brings a new finding", rule.id);
                    assert!(
                        of(rule, outcome).is_empty() || again.is_empty(),
                        "{}: a second fix changes more",
                        rule.id
                    );
                });
            });
        }
        assert_eq!(
            fixes > 0,
            rule.fixes == Fixes::Sometimes,
            "{}: whether it offers fixes",
            rule.id
        );
    }
}

#[test]
fn facts_and_index_are_fresh() {
    for rule in rules::all() {
        pages::keep(&format!("rules/{}.md", rule.id), &pages::with_facts(rule));
    }
    pages::keep("rules/README.md", &pages::index());
}
