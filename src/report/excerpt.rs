//! Spans of one file in, a few lines of it with marks under them out.
//!
//! What is shown differs from the file: values of Secrets are masked, acting characters escaped and long lines cut. Marks
//! are moved along, so the drawing library gets a text of its own and never scans a file. Knows nothing of findings.

use std::ops::Range;

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::neutral::{visible, visible_line};
use super::secrets::{MASK, Secrets};
use crate::source::{Position, SourceFile, Span};

/// Marks farther apart than this many lines do not share an excerpt.
const NEAR: usize = 6;

/// Lines shown around the marked ones.
const CONTEXT: usize = 1;

/// Spans of one file that are shown together.
#[derive(Debug)]
pub struct Excerpt<'r> {
    file: &'r SourceFile,
    hidden: &'r [Range<usize>],
    width: usize,
    marks: Vec<Mark>,
}

/// What lies under a span on its first line.
#[derive(Debug)]
struct Mark {
    /// From 0.
    line: usize,
    bytes: Range<usize>,
    position: Position,
    label: Option<String>,
}

impl Mark {
    fn overlaps(&self, other: &Mark) -> bool {
        let past = |mark: &Mark| mark.bytes.end.max(mark.bytes.start + 1);
        self.bytes.start < past(other) && other.bytes.start < past(self)
    }
}

impl<'r> Excerpt<'r> {
    /// Nothing is marked yet. A line is shown up to `width` bytes.
    pub fn new(file: &'r SourceFile, secrets: &'r Secrets<'_>, width: usize) -> Self {
        Self {
            file,
            hidden: secrets.hidden(file.id),
            width: width.max(40),
            marks: Vec::new(),
        }
    }

    /// Marks a span, of one with several lines the first. A mark can be drawn once only: of spans that overlap, the later
    /// ones give the first their labels. `position` is the span's start. `false` where the span cannot be shown together with the others.
    pub fn mark(&mut self, span: Span, position: Position, label: Option<&str>) -> bool {
        if !self.file.has(span) {
            return false;
        }
        let mark = self.mark_of(span, position, label);
        let overlapped = self.marks.iter_mut().find(|other| mark.overlaps(other));
        if let (Some(other), Some(label)) = (overlapped, &mark.label) {
            other.label = Some(other.label.take().map_or(label.clone(), |above| above + "\n" + label));
            return true;
        }
        let beside = |other: &Mark| mark.line != other.line || self.reaches(other, &mark);
        let fits = self
            .marks
            .iter()
            .all(|other| mark.line.abs_diff(other.line) <= NEAR && beside(other));
        if fits {
            self.marks.push(mark);
        }
        fits
    }

    fn mark_of(&self, span: Span, position: Position, label: Option<&str>) -> Mark {
        let (text, span) = (self.file.text(), self.file.range(span));
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let line = position.line as usize - 1;
        let whole = self.line(line);
        let start = start.clamp(whole.start, whole.end);
        let end = text.ceil_char_boundary(span.end.clamp(start, whole.end));
        let end = start + text[start..end].trim_end().len();
        Mark {
            line,
            bytes: self.around_hidden(start..end),
            position,
            label: label.map(|label| visible(label).into_owned()),
        }
    }

    /// The bytes of a line, from 0, without its break and a byte order mark.
    fn line(&self, line: usize) -> Range<usize> {
        let lines = self.file.lines();
        let start = lines.start(line).map_or(self.file.text().len(), |at| at as usize);
        let text = lines.line(self.file.text(), line);
        let mark = if line == 0 && text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        start + mark..start + text.len()
    }

    /// A mask is marked as a whole.
    fn around_hidden(&self, bytes: Range<usize>) -> Range<usize> {
        let inside = |at: usize| {
            let next = self.hidden.partition_point(|range| range.end <= at);
            self.hidden.get(next).filter(|range| range.start < at)
        };
        let start = inside(bytes.start).map_or(bytes.start, |range| range.start);
        let end = if bytes.is_empty() {
            start
        } else {
            inside(bytes.end).map_or(bytes.end, |range| range.end)
        };
        start..end
    }

    /// The part of a line that is shown: all, or what surrounds its first mark.
    fn window(&self, line: usize, mark: Option<&Mark>) -> Range<usize> {
        let whole = self.line(line);
        if whole.len() <= self.width {
            return whole;
        }
        let text = self.file.text();
        let wanted = mark.map_or(whole.start, |mark| mark.bytes.start.saturating_sub(self.width / 3));
        let last = text.floor_char_boundary(whole.end - self.width);
        let start = text.floor_char_boundary(wanted.clamp(whole.start, last));
        let end = text.floor_char_boundary((start + self.width).min(whole.end));
        self.around_hidden(start..end)
    }

    fn reaches(&self, shown: &Mark, other: &Mark) -> bool {
        let window = self.window(shown.line, Some(shown));
        window.start <= other.bytes.start && other.bytes.end <= window.end
    }

    /// What is shown of some bytes of one line. Their ends are not inside a hidden value.
    fn shown(&self, bytes: Range<usize>) -> String {
        let mut shown = String::with_capacity(bytes.len());
        let mut at = bytes.start;
        let first = self.hidden.partition_point(|range| range.end <= bytes.start);
        for hidden in self.hidden[first..].iter().take_while(|range| range.start < bytes.end) {
            shown.push_str(&visible_line(&self.file.text()[at..hidden.start]));
            shown.push_str(MASK);
            at = hidden.end;
        }
        shown.push_str(&visible_line(&self.file.text()[at..bytes.end]));
        shown
    }

    /// Draws up the lines. The first mark is the one that gives the excerpt its place.
    pub fn finish(self, name: &str, unicode: bool) -> Snippet {
        let first = self
            .marks
            .iter()
            .map(|mark| mark.line)
            .min()
            .unwrap_or(0)
            .saturating_sub(CONTEXT);
        let last = self.marks.iter().map(|mark| mark.line).max().unwrap_or(0);
        let after = (last + CONTEXT).min(self.file.lines().count() - 1);
        let last = if self.line(after).is_empty() { last } else { after };
        let mut snippet = Snippet {
            name: visible(name).into_owned(),
            text: String::new(),
            first,
            lines: last - first + 1,
            marks: Vec::new(),
        };
        let cut = if unicode { "…" } else { "..." };
        for line in first..=last {
            self.draw(line, cut, &mut snippet);
        }
        snippet
    }

    fn draw(&self, line: usize, cut: &str, snippet: &mut Snippet) {
        let marks = || self.marks.iter().enumerate().filter(|(_, mark)| mark.line == line);
        let (whole, window) = (self.line(line), self.window(line, marks().next().map(|(_, mark)| mark)));
        if window.start > whole.start {
            snippet.text.push_str(cut);
        }
        let start = snippet.text.len();
        for (index, mark) in marks() {
            let bytes = mark.bytes.start..mark.bytes.end.min(window.end);
            let from = start + self.shown(window.start..bytes.start).len();
            let length = self.shown(bytes).len();
            let label = LabeledSpan::new(mark.label.clone(), from, length);
            let label = if index == 0 {
                LabeledSpan::new_primary_with_span(mark.label.clone(), *label.inner())
            } else {
                label
            };
            snippet.marks.push((label, mark.position));
        }
        snippet.text.push_str(&self.shown(window.clone()));
        if window.end < whole.end {
            snippet.text.push_str(cut);
        }
        snippet.text.push('\n');
    }
}

/// Lines as they are shown, and marks in their bytes.
#[derive(Debug)]
pub struct Snippet {
    name: String,
    text: String,
    /// From 0.
    first: usize,
    lines: usize,
    marks: Vec<(LabeledSpan, Position)>,
}

impl Snippet {
    /// The marks.
    pub fn labels(&self) -> impl Iterator<Item = &LabeledSpan> {
        self.marks.iter().map(|(label, _)| label)
    }

    fn contents(&self, line: usize, column: usize) -> MietteSpanContents<'_> {
        let whole = SourceSpan::from((0, self.text.len()));
        MietteSpanContents::new_named(self.name.clone(), self.text.as_bytes(), whole, line, column, self.lines)
    }
}

impl SourceCode for Snippet {
    /// All lines, whatever is asked for: they were chosen to be shown together. Without context the place of a mark is
    /// wanted, which is that in the file.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let mark = self
            .marks
            .iter()
            .find(|(label, _)| before + after == 0 && label.inner() == span);
        let contents = match mark {
            Some((_, at)) => self.contents(at.line as usize - 1, at.column as usize - 1),
            None => self.contents(self.first, 0),
        };
        Ok(Box::new(contents))
    }
}
