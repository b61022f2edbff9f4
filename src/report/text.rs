//! Findings to source lines with the faults marked, for people.

use std::fmt;
use std::io;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters, ThemeStyles,
};

use super::excerpt::{Excerpt, Snippet};
use super::neutral::{visible, visible_lines};
use super::summary;
use super::view::{self, View};
use crate::findings::{Related, Severity};
use crate::lint::Reported;
use crate::rules::Rule;
use crate::source::Span;

/// Writes a block per finding, a line for what was skipped, and the counts.
pub fn write(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for reported in view.findings() {
        let mut block = String::new();
        for part in parts(view, reported) {
            part.draw(view, &mut block);
        }
        for line in block.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out)?;
    }
    let summary = &view.report.outcome.summary;
    for skipped in &summary.skipped {
        let line = format!("note: skipped {}: {}", skipped.path, skipped.reason);
        writeln!(out, "{}", visible(&line))?;
    }
    writeln!(out, "{}", summary::sentence(summary))
}

/// A message with an excerpt under it. A finding has one, and more for places that are elsewhere.
#[derive(Debug)]
struct Part {
    code: Option<String>,
    url: Option<String>,
    severity: Severity,
    message: String,
    snippet: Option<Snippet>,
    help: Option<String>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Part {}

impl Diagnostic for Part {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn url<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.url.as_ref().map(|url| Box::new(url) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| snippet as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.snippet
            .as_ref()
            .map(|snippet| Box::new(snippet.labels().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}

/// The finding with the places near it, then each place that is farther away. The help comes last.
fn parts(view: &View<'_>, reported: &Reported) -> Vec<Part> {
    let finding = &reported.finding;
    let columns = view.report.width.max(40);
    let mut excerpt = excerpt(view, finding.span);
    let mut elsewhere: Vec<&Related> = Vec::new();
    if let Some(excerpt) = &mut excerpt {
        excerpt.mark(
            finding.span,
            view.place(finding.span).start,
            subject(reported).as_deref(),
        );
    }
    for related in &finding.related {
        let start = view.place(related.span).start;
        let shown = |excerpt: &mut Excerpt<'_>| excerpt.mark(related.span, start, Some(&view.related(related)));
        if !excerpt.as_mut().is_some_and(shown) {
            elsewhere.push(related);
        }
    }
    let main = Part {
        code: Some(format!("{}[{}]", finding.severity, finding.rule)),
        url: view::rule(finding).map(Rule::url),
        severity: finding.severity,
        message: wrapped(&visible(&view.message(finding)), columns - 4),
        snippet: excerpt.map(|excerpt| excerpt.finish(view.place(finding.span).name(), view.report.unicode)),
        help: None,
    };
    let mut parts = vec![main];
    parts.extend(
        elsewhere
            .into_iter()
            .map(|related| elsewhere_part(view, related, columns)),
    );
    if let Some(last) = parts.last_mut() {
        last.help = view
            .help(finding)
            .map(|help| wrapped(&visible_lines(&help), columns - 8));
    }
    parts
}

/// The value at fault by its path and its object: a few lines of YAML seldom show either.
fn subject(reported: &Reported) -> Option<String> {
    let name = reported.resource.as_ref()?;
    let namespace = if name.namespace.is_empty() {
        String::new()
    } else {
        format!("{}/", name.namespace)
    };
    let object = format!("{} {namespace}{}", name.kind, name.name);
    Some(if reported.field.is_empty() {
        object
    } else {
        format!("{} of {object}", reported.field)
    })
}

fn elsewhere_part(view: &View<'_>, related: &Related, columns: usize) -> Part {
    let mut excerpt = excerpt(view, related.span);
    if let Some(excerpt) = &mut excerpt {
        excerpt.mark(related.span, view.place(related.span).start, None);
    }
    Part {
        code: None,
        url: None,
        severity: Severity::Note,
        message: wrapped(&visible(&view.related(related)), columns - 4),
        snippet: excerpt.map(|excerpt| excerpt.finish(view.place(related.span).name(), view.report.unicode)),
        help: None,
    }
}

fn excerpt<'v>(view: &'v View<'_>, span: Span) -> Option<Excerpt<'v>> {
    let file = view.report.sources.find(span)?;
    Some(Excerpt::new(file, &view.secrets, view.report.width.saturating_sub(12)))
}

impl Part {
    fn draw(&self, view: &View<'_>, block: &mut String) {
        let handler = GraphicalReportHandler::new_themed(self.theme(view))
            .with_links(view.report.color)
            .with_wrap_lines(false)
            .without_syntax_highlighting();
        handler
            .render_report(block, self)
            .expect("a String takes any text and every span is inside its excerpt");
    }

    /// The finding's own mark has the colour of its severity; the library gives styles to marks in the order of the text.
    fn theme(&self, view: &View<'_>) -> GraphicalTheme {
        let characters = if view.report.unicode {
            ThemeCharacters::unicode()
        } else {
            ThemeCharacters::ascii()
        };
        let mut styles = if view.report.color {
            ThemeStyles::ansi()
        } else {
            ThemeStyles::none()
        };
        let own = match self.severity {
            Severity::Error => styles.error,
            Severity::Warning => styles.warning,
            Severity::Note => styles.advice,
        };
        let mut labels: Vec<&LabeledSpan> = self.snippet.iter().flat_map(Snippet::labels).collect();
        labels.sort_by_key(|label| label.offset());
        if !labels.is_empty() {
            styles.highlights = labels
                .iter()
                .map(|label| if label.primary() { own } else { styles.help })
                .collect();
        }
        GraphicalTheme { characters, styles }
    }
}

/// Lines of at most so many characters, broken at blanks alone so that names can be copied. No line begins like a command
/// of GitHub's.
fn wrapped(text: &str, columns: usize) -> String {
    let mut wrapped = String::with_capacity(text.len() + 8);
    for line in text.split('\n') {
        let mut filled = 0;
        for word in line.split(' ') {
            let length = word.chars().count();
            if filled > 0 && filled + 1 + length > columns {
                wrapped.push('\n');
                filled = 0;
            } else if filled > 0 {
                wrapped.push(' ');
                filled += 1;
            }
            if filled == 0 && word.starts_with("::") {
                wrapped.push_str("\\u{3a}");
                wrapped.push_str(&word[1..]);
            } else {
                wrapped.push_str(word);
            }
            filled += length;
        }
        wrapped.push('\n');
    }
    wrapped.truncate(wrapped.trim_end().len());
    wrapped
}
