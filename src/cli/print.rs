//! The small commands, and messages to the user.

use std::io::{self, Write};

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Arguments;
use super::{CLEAN, Done, Failure};
use crate::rules;
use crate::schema;

/// Prints the pages that a name means.
pub fn explain(name: &str) -> Done {
    let found = rules::named(name);
    if found.is_empty() {
        return Err(Failure::Usage(unknown_rule(name)));
    }
    let mut out = io::stdout().lock();
    for (index, rule) in found.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        out.write_all(rule.page.as_bytes())?;
    }
    out.flush()?;
    Ok(CLEAN)
}

/// Lists all rules.
pub fn rules() -> Done {
    let mut out = io::stdout().lock();
    let mut all: Vec<_> = rules::all().collect();
    all.sort_by_key(|rule| rule.id);
    let width = all.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    for rule in all {
        let summary = rule.summary().replace('\n', " ");
        writeln!(out, "{:width$}  {:7}  {summary}", rule.id, rule.severity)?;
    }
    out.flush()?;
    Ok(CLEAN)
}

/// Prints the schema of a kind.
pub fn schema(kind: &str, group: Option<&str>) -> Done {
    let found = schema::published(kind, group);
    let [only] = found.as_slice() else {
        return Err(Failure::Usage(unclear_kind(kind, &found)));
    };
    let mut out = io::stdout().lock();
    out.write_all(only.json.as_bytes())?;
    out.flush()?;
    Ok(CLEAN)
}

fn unclear_kind(kind: &str, found: &[&schema::Embedded]) -> String {
    if found.is_empty() {
        let hint = schema::nearest_kind(kind).map(|near| format!(", did you mean `{near}`?"));
        return format!("no schema for a kind `{kind}`{}", hint.unwrap_or_default());
    }
    let groups: Vec<_> = found.iter().map(|one| format!("--group {}", one.group)).collect();
    format!(
        "several groups have a kind `{kind}`: choose with {}",
        groups.join(" or ")
    )
}

/// Prints a completion script.
pub fn completions(shell: Shell) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "meshlint", &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(CLEAN)
}

/// Says on standard error why there is no answer.
pub fn failure(failure: &Failure) {
    let text = match failure {
        Failure::Output(error) => format!("cannot write the report: {error}"),
        Failure::Usage(text) => text.clone(),
    };
    for line in text.lines() {
        let _ = writeln!(
            io::stderr(),
            "meshlint: {}",
            line.escape_debug()
                .to_string()
                .replace("\\'", "'")
                .replace("\\\"", "\"")
        );
    }
}

/// A name that means no rule, and the nearest one that does.
pub fn unknown_rule(name: &str) -> String {
    let hint = rules::nearest(name).map_or(", `meshlint rules` lists them".to_owned(), |near| {
        format!(", did you mean `{near}`?")
    });
    format!("no rule is called `{name}`{hint}")
}
