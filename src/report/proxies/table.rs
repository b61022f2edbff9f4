//! Rows in, aligned columns out.

use std::borrow::Cow;
use std::io;

use crate::envoy::message::Origin;
use crate::report::neutral::visible;
use crate::source::Sources;

/// Columns with a heading each.
#[derive(Debug)]
pub struct Table {
    headings: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(headings: &'static [&'static str]) -> Self {
        Self {
            headings,
            rows: Vec::new(),
        }
    }

    /// Adds a row, a cell a column.
    pub fn row(&mut self, cells: Vec<String>) {
        let shown = cells.into_iter().map(|cell| match visible(&cell) {
            Cow::Borrowed(_) => cell,
            Cow::Owned(escaped) => escaped,
        });
        self.rows.push(shown.collect());
    }

    /// Sorts the rows.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&[String]) -> K) {
        self.rows.sort_by_cached_key(|row| key(row));
    }

    /// Writes it, each column as wide as its widest cell.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.chars().count()).max();
            widest.unwrap_or(0).max(self.headings[column].len())
        };
        let widths: Vec<usize> = (0..self.headings.len()).map(width).collect();
        line(self.headings.iter().copied(), &widths, out)?;
        for row in &self.rows {
            line(row.iter().map(String::as_str), &widths, out)?;
        }
        Ok(())
    }
}

fn line<'c>(cells: impl Iterator<Item = &'c str>, widths: &[usize], out: &mut dyn io::Write) -> io::Result<()> {
    let padded = cells.zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
    let line: Vec<String> = padded.collect();
    writeln!(out, "{}", line.join("  ").trim_end())
}

/// The file and line of the first place; `-` where nothing of the input made it.
pub fn place(sources: &Sources, origin: &Origin) -> String {
    let span = origin.0.first();
    let found = span.and_then(|span| Some((sources.find(*span)?, *span)));
    found.map_or_else(
        || "-".to_owned(),
        |(file, span)| format!("{}:{}", file.path, file.position(file.range(span).start).line),
    )
}
