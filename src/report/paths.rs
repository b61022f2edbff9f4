//! Paths in, what machines take for a path out.
//!
//! Code scanning matches findings to files by their path from the folder that was checked out. Knows nothing of the disk:
//! paths are resolved by their words.

use std::fmt::Write as _;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// What stands for standard input among the paths.
pub const STANDARD_INPUT: &str = "-";

/// The path from the working directory, with slashes. `None` for one that lies outside.
pub fn relative(path: &Utf8Path, working_directory: &Utf8Path) -> Option<String> {
    let whole = resolved(&working_directory.join(path));
    let inside = whole.strip_prefix(resolved(working_directory)).ok()?;
    if inside.is_absolute() {
        return None;
    }
    let steps: Vec<&str> = inside.components().map(|step| step.as_str()).collect();
    Some(if steps.is_empty() {
        ".".to_owned()
    } else {
        steps.join("/")
    })
}

/// A URI: relative to the working directory, or absolute for a path that lies outside.
pub fn uri(path: &Utf8Path, working_directory: &Utf8Path) -> String {
    if path == STANDARD_INPUT {
        return "stdin".to_owned();
    }
    if let Some(relative) = relative(path, working_directory) {
        return encoded(&relative);
    }
    let mut uri = "file://".to_owned();
    for step in resolved(&working_directory.join(path)).components() {
        match step {
            Utf8Component::RootDir => {}
            Utf8Component::Prefix(drive) => uri.extend(["/", drive.as_str()]),
            step => uri.extend(["/", &encoded(step.as_str())]),
        }
    }
    uri
}

/// Without `.` and, as far as it goes, without `..`.
fn resolved(path: &Utf8Path) -> Utf8PathBuf {
    let mut steps: Vec<Utf8Component<'_>> = Vec::new();
    for step in path.components() {
        match (step, steps.last()) {
            (Utf8Component::CurDir, _) | (Utf8Component::ParentDir, Some(Utf8Component::RootDir)) => {}
            (Utf8Component::ParentDir, Some(Utf8Component::Normal(_))) => {
                steps.pop();
            }
            _ => steps.push(step),
        }
    }
    steps.into_iter().collect()
}

/// Percent-encodes all but what RFC 3986 leaves unreserved, and slashes.
fn encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a String takes any text");
        }
    }
    encoded
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn uris_are_relative_to_the_working_directory_and_encoded() {
        let cases = [
            ("a/b.yaml", "a/b.yaml"),
            ("./a//./b.yaml", "a/b.yaml"),
            ("a/../b.yaml", "b.yaml"),
            ("/work/repo/a.yaml", "a.yaml"),
            ("../repo/a.yaml", "a.yaml"),
            ("../other/a.yaml", "file:///work/other/a.yaml"),
            ("/etc/a b.yaml", "file:///etc/a%20b.yaml"),
            ("/../../etc/a.yaml", "file:///etc/a.yaml"),
            ("ü 100%#1?[a]:\\.yaml", "%C3%BC%20100%25%231%3F%5Ba%5D%3A%5C.yaml"),
            ("-", "stdin"),
            (".", "."),
            ("", "."),
        ];
        for (path, expected) in cases {
            assert_eq!(uri(path.into(), "/work/repo".into()), expected, "{path}");
        }
    }

    #[test]
    fn without_a_working_directory_paths_stay() {
        assert_eq!(uri("../a.yaml".into(), "".into()), "../a.yaml");
        assert_eq!(uri("/a.yaml".into(), "".into()), "file:///a.yaml");
    }
}
