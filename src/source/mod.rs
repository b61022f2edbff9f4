//! Files in, text and positions out.
//!
//! Takes the paths of a run and hands on [`Sources`]: every file's text with a [`FileId`], and the files that were passed
//! over. Knows nothing of YAML or Kubernetes. Positions are byte offsets ([`Span`]); lines and columns are made by
//! [`LineIndex`] for the ends of the line alone.

mod discover;
mod lines;
mod words;

use std::fs;
use std::hash::BuildHasher;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use camino::Utf8PathBuf;
use rustc_hash::FxBuildHasher;

pub use discover::{DiscoverError, Input, discover};
pub use lines::{LineIndex, Position};
pub use words::{Interner, Word, Words};

/// A file's place in [`Sources::files`].
pub type FileId = u32;

/// A range of bytes in one file.
///
/// The files of a run lie one behind the other in one space of addresses, so that a span needs no more room than two of
/// them, and an absent one none. Spans of one run sort by file and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: NonZeroU32,
    end: NonZeroU32,
}

impl Default for Span {
    fn default() -> Self {
        Self::NOWHERE
    }
}

impl Span {
    /// A span of no file, for what has no place.
    pub const NOWHERE: Span = Span {
        start: NonZeroU32::MAX,
        end: NonZeroU32::MAX,
    };

    /// Whether `other` lies within this span.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether `other` begins within this span.
    pub fn has_start_of(self, other: Span) -> bool {
        self.start <= other.start && other.start < self.end
    }

    /// Whether it has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One file of the input.
#[derive(Debug)]
pub struct SourceFile {
    /// Its place in [`Sources::files`].
    pub id: FileId,
    /// The path as the user would write it.
    pub path: Utf8PathBuf,
    /// Named by the user, not met on a walk.
    pub named: bool,
    /// The cluster it belongs to, as an index into the clusters of the run.
    pub cluster: u16,
    /// It holds no resources but settings of this kind, such as `MeshConfig`.
    pub configuration: Option<&'static str>,
    on_disk: bool,
    base: NonZeroU32,
    length: usize,
    broken: Option<Box<(Range<usize>, Broken)>>,
    content: OnceLock<Box<Content>>,
    /// What [`SourceFile::release`] remembers of the text.
    released: Option<u64>,
    changed: AtomicBool,
}

/// What is there of a file as long as it is read.
#[derive(Debug, Default)]
struct Content {
    text: String,
    cooked: OnceLock<String>,
    lines: OnceLock<LineIndex>,
}

impl Content {
    fn of(text: String) -> OnceLock<Box<Self>> {
        let content = Self {
            text,
            ..Self::default()
        };
        OnceLock::from(Box::new(content))
    }
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
    /// A file from its bytes, the only one until [`Sources::add`] gives it its place among others. UTF-16 with a byte
    /// order mark is converted; a UTF-8 mark stays in the text.
    pub fn new(path: Utf8PathBuf, bytes: Vec<u8>, named: bool, cluster: u16) -> Self {
        let (text, invalid) = decode(bytes);
        let broken = invalid
            .map(|at| (at, Broken::Encoding))
            .or_else(|| control_character(&text).map(|at| (at, Broken::Control)))
            .map(|(at, why)| {
                let width = text[at..].chars().next().map_or(1, char::len_utf8);
                Box::new((at..at + width, why))
            });
        Self {
            id: 0,
            path,
            named,
            cluster,
            configuration: None,
            on_disk: false,
            base: NonZeroU32::MIN,
            length: text.len(),
            broken,
            content: Content::of(text),
            released: None,
            changed: AtomicBool::new(false),
        }
    }

    /// A text that is looked at in the place of this file: its spans are those of the file.
    #[must_use]
    pub fn overlay(&self, bytes: Vec<u8>) -> Self {
        Self {
            id: self.id,
            base: self.base,
            ..Self::new(self.path.clone(), bytes, self.named, self.cluster)
        }
    }

    /// The file holds no resources but settings of this kind.
    #[must_use]
    pub fn of_configuration(self, kind: &'static str) -> Self {
        Self {
            configuration: Some(kind),
            ..self
        }
    }

    /// The file's bytes can be read again at its path.
    #[must_use]
    pub fn on_disk(self) -> Self {
        Self { on_disk: true, ..self }
    }

    /// The text as UTF-8. Bytes that are none are replaced, see [`Self::broken_at`].
    pub fn text(&self) -> &str {
        &self.content().text
    }

    fn content(&self) -> &Content {
        self.content.get_or_init(|| {
            let text = fs::read(&self.path).map(|bytes| decode(bytes).0);
            let same = text.ok().filter(|text| self.released == Some(digest(text)));
            let text = same.unwrap_or_else(|| {
                self.changed.store(true, Ordering::Relaxed);
                " ".repeat(self.length)
            });
            Box::new(Content {
                text,
                ..Content::default()
            })
        })
    }

    /// Lets go of the text of a file on the disk: most files are read once. It is read again when it is asked for.
    pub fn release(&mut self) {
        if self.on_disk {
            self.released = Some(digest(self.text()));
            self.content.take();
        }
    }

    /// Whether the file was another one when its text was asked for again. Its text is blank then.
    pub fn has_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    /// The first byte of the text that is no text: not UTF-8, or a control character that YAML forbids.
    pub fn broken_at(&self) -> Option<(Span, Broken)> {
        let (range, why) = self.broken.as_deref()?;
        Some((self.span(range.start, range.end), *why))
    }

    /// The text under a span of this file.
    pub fn slice(&self, span: Span) -> &str {
        &self.text()[self.range(span)]
    }

    /// The span of a range of bytes of this file.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let address = |at: usize| self.base.checked_add(offset(at)).expect("`Sources::add` leaves room");
        Span {
            start: address(start),
            end: address(end),
        }
    }

    /// Whether a span lies in this file.
    pub fn has(&self, span: Span) -> bool {
        self.base <= span.start && u64::from(span.end.get()) <= self.end()
    }

    /// The range of bytes that a span of this file covers.
    pub fn range(&self, span: Span) -> Range<usize> {
        let at = |address: NonZeroU32| (address.get() - self.base.get()) as usize;
        at(span.start)..at(span.end)
    }

    /// The address behind its last byte.
    fn end(&self) -> u64 {
        u64::from(self.base.get()) + self.length as u64
    }

    /// Keeps the text of scalars that do not stand in the source as they are read (escapes, folded lines). The first call
    /// wins: parsing a file twice gives the same text.
    pub fn keep_cooked(&self, text: String) {
        let _ = self.content().cooked.set(text);
    }

    /// What [`Self::keep_cooked`] kept.
    pub fn cooked(&self) -> &str {
        self.content().cooked.get().map_or("", String::as_str)
    }

    /// Where the lines of the text begin.
    pub fn lines(&self) -> &LineIndex {
        let content = self.content();
        content.lines.get_or_init(|| LineIndex::new(&content.text))
    }

    /// Line and column of a byte offset, both from 1, the column in characters.
    pub fn position(&self, at: usize) -> Position {
        self.lines().position(self.text(), offset(at))
    }
}

/// Files are at most 4 GiB (`discover` refuses larger ones), so offsets fit.
fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("a file is at most 4 GiB")
}

fn digest(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
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
    /// Puts a file behind the others and says where. A run has room for 4 GiB of text; a file that goes beyond is skipped.
    pub fn add(&mut self, mut file: SourceFile) -> Option<FileId> {
        let base = self.files.last().map_or(1, |last| last.end() + 1);
        let fits = base + file.length as u64 + 1 < u64::from(u32::MAX);
        let base = u32::try_from(base).ok().and_then(NonZeroU32::new).filter(|_| fits);
        let Some(base) = base else {
            self.skipped.push(Skipped {
                path: file.path,
                reason: "the input is larger than 4 GiB".into(),
            });
            return None;
        };
        (file.id, file.base) = (offset(self.files.len()), base);
        self.files.push(file);
        Some(offset(self.files.len() - 1))
    }

    /// The file a span lies in, `None` for [`Span::NOWHERE`].
    pub fn find(&self, span: Span) -> Option<&SourceFile> {
        let past = self.files.partition_point(|file| file.base <= span.start);
        self.files[..past].last().filter(|_| span != Span::NOWHERE)
    }

    /// The file a span lies in.
    pub fn file(&self, span: Span) -> &SourceFile {
        self.find(span).expect("spans of this run lie in its files")
    }

    /// The id of the file a span lies in.
    pub fn file_id(&self, span: Span) -> FileId {
        self.file(span).id
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span).slice(span)
    }

    /// Adds meshlint's own configuration, so that findings can point into it; `None` where there is no room left.
    pub fn add_config(&mut self, path: Utf8PathBuf, bytes: Vec<u8>) -> Option<FileId> {
        let met = self.files.iter().find(|file| file.path == path).map(|file| file.id);
        self.config = met.or_else(|| self.add(SourceFile::new(path, bytes, false, 0)));
        self.config
    }

    /// How many files were read as manifests.
    pub fn manifests(&self) -> usize {
        let settings = self.files.iter().filter(|file| file.configuration.is_some()).count();
        self.files.len() - settings - usize::from(self.config.is_some())
    }

    /// Files from memory, for tests and for standard input.
    pub fn from_texts<P: Into<Utf8PathBuf>, T: Into<Vec<u8>>>(texts: impl IntoIterator<Item = (P, T)>) -> Self {
        let mut sources = Self {
            clusters: vec![String::new()],
            ..Self::default()
        };
        for (path, bytes) in texts {
            sources.add(SourceFile::new(path.into(), bytes.into(), true, 0));
        }
        sources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> SourceFile {
        SourceFile::new("a.yaml".into(), bytes.to_vec(), true, 0)
    }

    fn broken(bytes: &[u8]) -> Option<(Range<usize>, Broken)> {
        let file = file(bytes);
        file.broken_at().map(|(span, why)| (file.range(span), why))
    }

    #[test]
    fn bytes_that_are_no_text_are_found_at_their_place() {
        assert_eq!(broken(b"a: \xFFb"), Some((3..6, Broken::Encoding)));
        assert_eq!(broken(b"a: b\0"), Some((4..5, Broken::Control)));
        assert_eq!(broken("a: é\u{85}ü\t\r\n".as_bytes()), None);
        assert_eq!(broken("\u{FEFF}a: b".as_bytes()), None);
    }

    #[test]
    fn utf_16_is_read() {
        let bytes: Vec<u8> = [0xFF, 0xFE]
            .into_iter()
            .chain("a: é".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        assert_eq!(file(&bytes).text(), "a: é");
    }

    #[test]
    fn a_released_text_is_read_again() {
        let path = std::env::temp_dir().join(format!("meshlint-released-{}.yaml", std::process::id()));
        fs::write(&path, "a: é\n").expect("the folder for temporary files can be written");
        let named = Utf8PathBuf::from_path_buf(path.clone()).expect("the path is UTF-8");
        let bytes = fs::read(&path).expect("it was written");
        let mut file = SourceFile::new(named, bytes, true, 0).on_disk();
        file.release();
        assert_eq!((file.text(), file.has_changed()), ("a: é\n", false));
        file.release();
        fs::write(&path, "other").expect("it was written before");
        assert_eq!((file.text(), file.has_changed()), ("      ", true));
        fs::remove_file(&path).expect("it is there");
    }

    #[test]
    fn spans_find_their_files_and_sort_by_them() {
        let sources = Sources::from_texts([("a.yaml", "abc"), ("b.yaml", ""), ("c.yaml", "def")]);
        let spans: Vec<Span> = sources
            .files
            .iter()
            .map(|file| file.span(0, file.text().len()))
            .collect();
        assert!(spans.is_sorted());
        let found: Vec<&str> = spans.iter().map(|span| sources.file(*span).path.as_str()).collect();
        assert_eq!(found, ["a.yaml", "b.yaml", "c.yaml"]);
        assert_eq!(sources.text(spans[2]), "def");
        assert!(sources.find(Span::NOWHERE).is_none());
    }
}
