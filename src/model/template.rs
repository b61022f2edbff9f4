//! Files that become manifests only after a tool has filled them in.

use memchr::memmem;

use crate::source::{SourceFile, Span};
use crate::yaml::Document;

/// A file that is not read because it is a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The first place that shows it.
    pub span: Span,
    /// What renders it.
    pub tool: Tool,
}

/// The tools whose templates are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// A chart: the file lies in a `templates` folder.
    Helm,
    /// `{{ … }}` outside of a chart.
    Braces,
    /// `{% … %}`.
    Jinja,
    /// `#@`.
    Ytt,
}

/// A template that shows before parsing: `{{` below a chart's `templates` folder, or `#@` of ytt.
pub fn by_name(file: &SourceFile) -> Option<Template> {
    if let Some(at) = memmem::find(file.text().as_bytes(), b"{{")
        && file.path.components().any(|part| part.as_str() == "templates")
        && !file.named
    {
        return Some(Template {
            span: file.span(at, at + 2),
            tool: Tool::Helm,
        });
    }
    let begins_comment = |at: &usize| {
        let before = file.text()[..*at].trim_end_matches(' ');
        before.is_empty() || before.ends_with(['\n', ':', '-'])
    };
    let ytt = memmem::find_iter(file.text().as_bytes(), b"#@").find(begins_comment)?;
    Some(Template {
        span: file.span(ytt, ytt + 2),
        tool: Tool::Ytt,
    })
}

/// A template that shows because it is no YAML: a document that cannot be read holds a placeholder.
pub fn by_failure(file: &SourceFile, documents: &[Document<'_>]) -> Option<Template> {
    documents
        .iter()
        .filter(|document| !document.is_readable())
        .find_map(|document| {
            let text = file.slice(document.span);
            [("{{", Tool::Braces), ("{%", Tool::Jinja)]
                .into_iter()
                .find_map(|(mark, tool)| {
                    let at = file.range(document.span).start + text.find(mark)?;
                    Some(Template {
                        span: file.span(at, at + mark.len()),
                        tool,
                    })
                })
        })
}
