//! Files in, text and positions out.
//!
//! Takes the paths of a run and hands on [`Sources`]: every file's text with a [`FileId`], and the files that were passed
//! over. Knows nothing of YAML or Kubernetes. Positions are byte offsets ([`Span`]); lines and columns are made by
//! [`LineIndex`] for the ends of the line alone.

mod discover;
mod lines;

use std::sync::OnceLock;

use camino::Utf8PathBuf;

pub use discover::{DiscoverError, Input, discover};
pub use lines::{LineIndex, Position};

/// A file's place in [`Sources::files`].
pub type FileId = u32;

/// A range of bytes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// Whether `other` lies within this span.
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// One file of the input.
#[derive(Debug)]
pub struct SourceFile {
    /// Its place in [`Sources::files`].
    pub id: FileId,
    /// The path as the user would write it.
    pub path: Utf8PathBuf,
    /// The text as UTF-8. Bytes that are none are replaced, see `broken_at`.
    pub text: String,
    /// The first byte of the text that is no text: not UTF-8, or a control character that YAML forbids.
    pub broken_at: Option<(Span, Broken)>,
    /// Named by the user, not met on a walk.
    pub named: bool,
    /// The cluster it belongs to, as an index into the clusters of the run.
    pub cluster: u16,
    cooked: OnceLock<String>,
    lines: OnceLock<LineIndex>,
}

/// Why a file's bytes are no YAML text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Bytes that are no UTF-8.
    Encoding,
    /// A control character, NUL among them.
    Control,
}

impl SourceFile {
    /// A file from its bytes. UTF-16 with a byte order mark is converted; a UTF-8 mark stays in the text.
    pub fn new(id: FileId, path: Utf8PathBuf, bytes: Vec<u8>, named: bool, cluster: u16) -> Self {
        let (text, invalid) = decode(bytes);
        let broken_at = invalid
            .map(|at| (at, Broken::Encoding))
            .or_else(|| control_character(&text).map(|at| (at, Broken::Control)))
            .map(|(at, why)| {
                let width = text[at..].chars().next().map_or(1, char::len_utf8);
                (
                    Span {
                        file: id,
                        start: offset(at),
                        end: offset(at + width),
                    },
                    why,
                )
            });
        Self {
            id,
            path,
            text,
            broken_at,
            named,
            cluster,
            cooked: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }

    /// The text under a span of this file.
    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// A span of this file.
    pub fn span(&self, start: usize, end: usize) -> Span {
        Span {
            file: self.id,
            start: offset(start),
            end: offset(end),
        }
    }

    /// Keeps the text of scalars that do not stand in the source as they are read (escapes, folded lines). The first call
    /// wins: parsing a file twice gives the same text.
    pub fn keep_cooked(&self, text: String) {
        let _ = self.cooked.set(text);
    }

    /// What [`Self::keep_cooked`] kept.
    pub fn cooked(&self) -> &str {
        self.cooked.get().map_or("", String::as_str)
    }

    /// Where the lines of the text begin.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Line and column of a byte offset, both from 1, the column in characters.
    pub fn position(&self, at: u32) -> Position {
        self.lines().position(&self.text, at)
    }
}

/// Files are at most 4 GiB (`discover` refuses larger ones), so offsets fit.
fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("a file is at most 4 GiB")
}

fn decode(bytes: Vec<u8>) -> (String, Option<usize>) {
    let wide = match bytes.get(..2) {
        Some([0xFF, 0xFE]) => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
        Some([0xFE, 0xFF]) => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        _ => None,
    };
    if let Some(unit) = wide {
        let units = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        return (
            char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
            None,
        );
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(at))
        }
    }
}

/// The first character that libyaml, and so the Kubernetes API, refuses anywhere in a stream.
fn control_character(text: &str) -> Option<usize> {
    let suspicious = |b: u8| (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0x7F || b == 0xC2 || b == 0xEF;
    let first = text.bytes().position(suspicious)?;
    let forbidden = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{85}' | '\u{FEFF}' => false,
        '\u{FFFE}' | '\u{FFFF}' => true,
        c => c.is_control(),
    };
    text[first..]
        .char_indices()
        .find(|(_, c)| forbidden(*c))
        .map(|(at, _)| first + at)
}

/// A file that was met and not read as manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file.
    pub path: Utf8PathBuf,
    /// Why, in a few words.
    pub reason: String,
}

/// All files of a run, in the order of their paths.
#[derive(Debug, Default)]
pub struct Sources {
    /// The files; a [`FileId`] is an index here.
    pub files: Vec<SourceFile>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
    /// The clusters of the run by name; one unnamed cluster where none is named.
    pub clusters: Vec<String>,
    /// meshlint's own configuration, if it is among the files.
    pub config: Option<FileId>,
}

impl Sources {
    /// The file a span lies in.
    pub fn file(&self, span: Span) -> &SourceFile {
        &self.files[span.file as usize]
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span).slice(span)
    }

    /// Adds meshlint's own configuration, so that findings can point into it.
    pub fn add_config(&mut self, path: Utf8PathBuf, bytes: Vec<u8>) -> FileId {
        let met = self.files.iter().position(|file| file.path == path);
        let at = met.unwrap_or_else(|| {
            self.files
                .push(SourceFile::new(offset(self.files.len()), path, bytes, false, 0));
            self.files.len() - 1
        });
        *self.config.insert(offset(at))
    }

    /// How many files were read as manifests.
    pub fn manifests(&self) -> usize {
        self.files.len() - usize::from(self.config.is_some())
    }

    /// Files from memory, for tests and for standard input.
    pub fn from_texts<P: Into<Utf8PathBuf>, T: Into<Vec<u8>>>(texts: impl IntoIterator<Item = (P, T)>) -> Self {
        let files = (0..)
            .zip(texts)
            .map(|(id, (path, bytes))| SourceFile::new(id, path.into(), bytes.into(), true, 0))
            .collect();
        Self {
            files,
            skipped: Vec::new(),
            clusters: vec![String::new()],
            config: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> SourceFile {
        SourceFile::new(0, "a.yaml".into(), bytes.to_vec(), true, 0)
    }

    #[test]
    fn bytes_that_are_no_text_are_found_at_their_place() {
        assert_eq!(
            file(b"a: \xFFb").broken_at,
            Some((
                Span {
                    file: 0,
                    start: 3,
                    end: 6
                },
                Broken::Encoding
            ))
        );
        assert_eq!(
            file(b"a: b\0").broken_at,
            Some((
                Span {
                    file: 0,
                    start: 4,
                    end: 5
                },
                Broken::Control
            ))
        );
        assert_eq!(file("a: é\u{85}ü\t\r\n".as_bytes()).broken_at, None);
        assert_eq!(file("\u{FEFF}a: b".as_bytes()).broken_at, None);
    }

    #[test]
    fn utf_16_is_read() {
        let bytes: Vec<u8> = [0xFF, 0xFE]
            .into_iter()
            .chain("a: é".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        assert_eq!(file(&bytes).text, "a: é");
    }
}
