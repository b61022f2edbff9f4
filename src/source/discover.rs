//! Which files a run reads.

use std::fs;
use std::io::{self, Read};

use camino::{Utf8Path, Utf8PathBuf};
use ignore::{WalkBuilder, WalkState};
use rayon::prelude::*;

use super::{Skipped, SourceFile, Sources};

/// One path of the command line, and the cluster whose manifests it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// A file, a folder, or `-` for standard input.
    pub path: Utf8PathBuf,
    /// The cluster's name; empty where the user named none.
    pub cluster: String,
}

/// The disk did not give what the arguments asked for.
#[derive(Debug)]
pub struct DiscoverError {
    /// The path at fault.
    pub path: Utf8PathBuf,
    /// What went wrong.
    pub error: io::Error,
}

impl std::fmt::Display for DiscoverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.error.kind() {
            io::ErrorKind::NotFound => write!(f, "`{}` does not exist", self.path),
            _ => write!(f, "cannot read `{}`: {}", self.path, self.error),
        }
    }
}

impl std::error::Error for DiscoverError {}

struct Candidate {
    path: Utf8PathBuf,
    named: bool,
    cluster: u16,
}

/// Files are addressed with 32 bits.
const LARGEST: u64 = u32::MAX as u64;

/// Finds and reads the files: those named, and in folders every `.yaml`, `.yml` and `.json` that neither `.gitignore` nor
/// `.meshlintignore` leaves out. Links are not followed. The order is that of the paths, whatever the disk says.
///
/// # Errors
/// A path that does not exist, or a file or folder that cannot be read.
pub fn discover(inputs: &[Input]) -> Result<Sources, DiscoverError> {
    let mut sources = Sources::default();
    let mut candidates = Vec::new();
    for input in inputs {
        let cluster = cluster_index(&mut sources.clusters, &input.cluster);
        find(input, cluster, &mut candidates)?;
    }
    candidates.sort_by(|a, b| (a.cluster, &a.path, !a.named).cmp(&(b.cluster, &b.path, !b.named)));
    candidates.dedup_by(|later, first| later.path == first.path && later.cluster == first.cluster);
    let read: Vec<_> = candidates
        .par_iter()
        .map(|candidate| read(&candidate.path))
        .collect::<Result<_, _>>()?;
    for (candidate, bytes) in candidates.into_iter().zip(read) {
        match bytes {
            Some(bytes) => {
                let from_input = candidate.path == "-";
                let file = SourceFile::new(candidate.path, bytes, candidate.named, candidate.cluster);
                let _ = sources.add(if from_input { file } else { file.on_disk() });
            }
            None => sources.skipped.push(Skipped {
                path: candidate.path,
                reason: "larger than 4 GiB".into(),
            }),
        }
    }
    Ok(sources)
}

fn cluster_index(clusters: &mut Vec<String>, name: &str) -> u16 {
    let at = clusters.iter().position(|known| known == name).unwrap_or_else(|| {
        clusters.push(name.to_owned());
        clusters.len() - 1
    });
    u16::try_from(at).expect("a command line names fewer than 65,536 clusters")
}

fn find(input: &Input, cluster: u16, found: &mut Vec<Candidate>) -> Result<(), DiscoverError> {
    let path = tidy(&input.path);
    if path == "-" {
        found.push(Candidate {
            path,
            named: true,
            cluster,
        });
        return Ok(());
    }
    let metadata = fs::metadata(&path).map_err(|error| DiscoverError {
        path: path.clone(),
        error,
    })?;
    if metadata.is_dir() {
        found.extend(walk(&path)?.into_iter().map(|path| Candidate {
            path,
            named: false,
            cluster,
        }));
    } else {
        found.push(Candidate {
            path,
            named: true,
            cluster,
        });
    }
    Ok(())
}

/// `./a/b` is `a/b`: one spelling for one file.
fn tidy(path: &Utf8Path) -> Utf8PathBuf {
    match path.strip_prefix(".") {
        Ok(rest) if !rest.as_str().is_empty() => rest.to_owned(),
        _ => path.to_owned(),
    }
}

fn walk(folder: &Utf8Path) -> Result<Vec<Utf8PathBuf>, DiscoverError> {
    let (sender, receiver) = std::sync::mpsc::channel();
    WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .add_custom_ignore_filename(".meshlintignore")
        .filter_entry(|entry| entry.file_name() != ".git")
        .threads(rayon::current_num_threads())
        .build_parallel()
        .run(|| {
            let sender = sender.clone();
            Box::new(move |entry| match entry {
                Ok(entry) => {
                    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
                    if let Ok(path) = Utf8PathBuf::from_path_buf(entry.into_path())
                        && is_file
                        && is_manifest_name(&path)
                    {
                        let _ = sender.send(Ok(tidy(&path)));
                    }
                    WalkState::Continue
                }
                Err(error) => {
                    let _ = sender.send(Err(error));
                    WalkState::Quit
                }
            })
        });
    drop(sender);
    receiver
        .into_iter()
        .collect::<Result<Vec<_>, ignore::Error>>()
        .map_err(|error| DiscoverError {
            path: folder.to_owned(),
            error: io::Error::other(error),
        })
}

fn is_manifest_name(path: &Utf8Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["yaml", "yml", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// The bytes of a file, `None` for one that is too large.
fn read(path: &Utf8Path) -> Result<Option<Vec<u8>>, DiscoverError> {
    let failed = |error| DiscoverError {
        path: path.to_owned(),
        error,
    };
    let mut bytes = Vec::new();
    if path == "-" {
        io::stdin()
            .lock()
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    } else {
        let file = fs::File::open(path).map_err(failed)?;
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        if size > LARGEST {
            return Ok(None);
        }
        bytes.reserve_exact(usize::try_from(size).unwrap_or(0));
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok((bytes.len() as u64 <= LARGEST).then_some(bytes))
}
