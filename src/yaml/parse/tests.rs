//! What is read by hand is what the parser crate reads: files, mutations of them and made-up lines.
//!
//! `YAML=DIR` adds the files of a folder, `ROUNDS=N` tries N times as much, `--nocapture` tells how many were read by hand.

#![allow(clippy::print_stdout)]

use std::env;
use std::fs;
use std::path::Path;

use super::*;

/// Whether a text was read by hand. Reading it by the parser crate gives the same.
fn agrees(text: &str) -> bool {
    let file = SourceFile::new("a.yaml".into(), text.into(), true, 0);
    if file.broken_at().is_some() {
        return false;
    }
    let by_hand = split::documents(text)
        .into_iter()
        .map(|range| document_agrees(&file, range))
        .collect::<Vec<_>>();
    by_hand.into_iter().all(|read| read)
}

fn document_agrees(file: &SourceFile, range: Range<usize>) -> bool {
    let (mut tree, mut cooked) = (Tree::new(file), "kept".to_owned());
    let read = fast::read(file, range.clone(), &mut tree, &mut cooked).is_some();
    if !read {
        assert!(tree.entries.is_empty() && tree.comments.is_empty() && cooked == "kept");
        return false;
    }
    let (mut expected_cooked, mut documents) = ("kept".to_owned(), Vec::new());
    let mut reader = Reader::new(file, range.clone(), &mut expected_cooked, &mut documents);
    reader.read_events();
    reader.finish(range.end);
    let text = &file.text()[range];
    assert_eq!(documents.len(), 1, "{text}");
    let expected = &documents[0];
    assert_eq!(expected.problems, [], "{text}\n{text:?}");
    assert_eq!(tree.entries, expected.tree.entries, "{text}\n{text:?}");
    assert_eq!(tree.comments, expected.tree.comments, "{text}\n{text:?}");
    assert_eq!(cooked, expected_cooked, "{text}\n{text:?}");
    true
}

/// Every YAML text of the repository: files and the examples of pages.
fn samples() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["testdata", "examples", "rules"] {
        collect(&root.join(folder), &mut texts);
    }
    if let Some(folder) = env::var_os("YAML") {
        collect(Path::new(&folder), &mut texts);
    }
    texts
}

fn collect(folder: &Path, texts: &mut Vec<String>) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, texts);
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("yaml" | "yml" | "json") => texts.push(text),
            Some("md") => texts.extend(text.split("```").skip(1).step_by(2).filter_map(|block| {
                let (language, code) = block.split_once('\n')?;
                language.starts_with("yaml").then(|| code.to_owned())
            })),
            _ => {}
        }
    }
}

/// How often a test tries, in the test suite few times.
fn rounds(usual: usize) -> usize {
    env::var("ROUNDS").map_or(usual, |times| {
        usual * times.parse::<usize>().expect("ROUNDS is a number")
    })
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).expect("64 bits") % limit.max(1)
    }

    fn of<'t>(&mut self, choice: &[&'t str]) -> &'t str {
        choice[self.below(choice.len())]
    }
}

const PIECES: [&str; 60] = [
    ":", ": ", " :", "- ", "-", "?", "? ", ",", "[", "]", "{", "}", "#", " #", "# note", "&a ", "*a", "!", "!!str ",
    "|", "|-", "|+", "|2", ">", ">-", ">+\n", "'", "\"", "%", "@", "`", "\\", "\n", "\n\n", "\n ", "\n  ", "\n- ", " ",
    "  ", "\t", "\r\n", "\r", "---", "\n---\n", "...", "\n...\n", "<<: ", "~", "''", "\"\"", "[]", "{}", "a", "a: b",
    "é", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{A0}", "=",
];

fn mutate(text: &mut String, random: &mut Random) {
    let at = text.floor_char_boundary(random.below(text.len() + 1));
    let to = text
        .floor_char_boundary((at + 1 + random.below(4)).min(text.len()))
        .max(at);
    match random.below(7) {
        0 => drop(text.drain(at..to)),
        1 => text.truncate(at),
        2 | 3 => text.insert_str(at, random.of(&PIECES)),
        _ => mutate_lines(text, random),
    }
}

fn mutate_lines(text: &mut String, random: &mut Random) {
    let mut lines: Vec<_> = text.split_inclusive('\n').map(str::to_owned).collect();
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    if lines.is_empty() {
        return;
    }
    match random.below(6) {
        0 => lines.swap(one, other),
        1 => drop(lines.remove(one)),
        2 => lines.insert(one, lines[other].clone()),
        3 => lines[one].insert_str(0, random.of(&[" ", "  ", "    ", "- ", "\t"])),
        4 => lines[one] = lines[one].strip_prefix(' ').unwrap_or(&lines[one]).to_owned(),
        _ => lines[one] = lines[one].trim_start().to_owned(),
    }
    *text = lines.concat();
}

/// Lines that any of may follow any other.
fn made_up(random: &mut Random) -> String {
    let starts = [
        "", "", "- ", "- ", "- - ", "a: ", "a: ", "b: ", "'c': ", "\"d\": ", "a : ", "-  ", "- b: ", "? ", "# ",
    ];
    let values = [
        "",
        "",
        "x",
        "x y",
        "1",
        "-1",
        "--",
        "a:b",
        "a#b",
        "x # y",
        "x #",
        "'q'",
        "'it''s'",
        "\"q\" ",
        "\"\\n\"",
        "[]",
        "{}",
        "[a, b]",
        "[a, 'b', ]",
        "[ -1, [x] ]",
        "{a: b}",
        "{a: {b: [c]}, 'd': \"e\"}",
        "{a}",
        "{{ a }}",
        "[a: b]",
        "|",
        ">-",
        "|+",
        "> ",
        "~",
        "<<",
        "a: b: c",
        "b:",
        "x:",
        "é",
        ":x",
        "?x",
        "# y",
        " ",
        "[a, b] # y",
        "[a]#y",
        "*a",
        "x\ty",
    ];
    let mut text = random.of(&["", "", "---\n", "--- # y\n", "# y\n"]).to_owned();
    for _ in 0..=random.below(7) {
        text.push_str(random.of(&["", "", "", " ", "  ", "  ", "    ", "   ", "\n", "\n\n"]));
        text.push_str(random.of(&starts));
        text.push_str(random.of(&values));
        text.push_str(random.of(&["\n", "\n", "\n", "\n", "\n\n", " \n", ""]));
    }
    text
}

#[test]
fn files_are_read_alike() {
    let samples = samples();
    let by_hand = samples.iter().filter(|text| agrees(text)).count();
    println!("{by_hand} of {} texts were read by hand", samples.len());
    assert!(
        by_hand * 10 > samples.len() * 9,
        "only {by_hand} of {} texts",
        samples.len()
    );
}

#[test]
fn mutations_are_read_alike() {
    let short = |text: &String| text.len() < 1500;
    let samples: Vec<_> = samples().into_iter().filter(short).collect();
    let mut random = Random(7);
    let (mut by_hand, mut bytes) = (0, 0);
    let count = rounds(4000);
    for _ in 0..count {
        let mut text = samples[random.below(samples.len())].clone();
        for _ in 0..=random.below(3) {
            mutate(&mut text, &mut random);
        }
        bytes += text.len();
        by_hand += usize::from(agrees(&text));
    }
    println!("{by_hand} of {count} mutations, {bytes} bytes");
    assert!(by_hand * 5 > count, "only {by_hand} of {count} mutations");
}

#[test]
fn made_up_lines_are_read_alike() {
    let mut random = Random(11);
    let count = rounds(20_000);
    let by_hand = (0..count).filter(|_| agrees(&made_up(&mut random))).count();
    println!("{by_hand} of {count} made-up texts");
    assert!(by_hand * 50 > count, "only {by_hand} of {count} made-up texts");
}
