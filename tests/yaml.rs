//! Hostile and odd text: an answer for any bytes, faults at their place, neighbours kept, spans exact.

#![allow(missing_docs)]

use meshlint::source::{SourceFile, Sources};
use meshlint::yaml::{self, Node, ProblemKind};
use proptest::prelude::*;

fn file(text: impl AsRef<[u8]>) -> SourceFile {
    SourceFile::new("a.yaml".into(), text.as_ref().to_vec(), true, 0)
}

fn problems(text: &str) -> Vec<(u32, u32, String)> {
    let file = file(text);
    let documents = yaml::parse(&file);
    let all = documents.iter().flat_map(|document| &document.problems);
    all.map(|problem| {
        let at = file.position(file.range(problem.span).start);
        let name = format!("{:?}", problem.kind);
        (
            at.line,
            at.column,
            name.split([' ', '(', '{']).next().unwrap_or_default().to_owned(),
        )
    })
    .collect()
}

#[track_caller]
fn one(text: &str, line: u32, column: u32, kind: &str) {
    assert_eq!(problems(text), [(line, column, kind.to_owned())], "{text:?}");
}

#[test]
fn faults_are_found_at_their_place() {
    one("a: 1\nb: 2\na: 3\n", 3, 1, "DuplicateKey");
    one("a:\n\tb: 1\n", 2, 1, "Tab");
    one("a: 1\n\t# note\nb: 2\n", 2, 1, "Tab");
    one("a: *nowhere\n", 1, 4, "UnknownAnchor");
    one("a: &x [1, *x]\n", 1, 11, "RecursiveAnchor");
    one("a: .inf\n", 1, 4, "NotFinite");
    one("? [a]\n: 1\n", 1, 3, "KeyNotScalar");
    one("a: {{ x }}\n", 1, 5, "KeyNotScalar");
    one("%YAML 1.2\n---\na: 1\n", 1, 1, "Directive");
    one("a: \"open\n", 1, 4, "Syntax");
}

#[test]
fn what_is_no_fault_is_none() {
    for text in [
        "",
        "# only a comment\n",
        "---\n---\n",
        "a: 1\n...\n",
        "\u{FEFF}a: 1\n---\n\u{FEFF}b: 2\n",
        "a: 1\r\nb: [x, y]\r\n",
        "{\"a\":\n\t{\"b\": [1, 2]}}\n",
        "a: |\n  text\n  \tmore\nb: 1\n",
        "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n",
        "a: 'it''s'\n",
    ] {
        assert_eq!(problems(text), [], "{text:?}");
    }
}

#[test]
fn a_broken_document_leaves_its_neighbours_alone() {
    let file = file("a: 1\n---\nb: [1\n---\nc: 3\n");
    let documents = yaml::parse(&file);
    let readable: Vec<_> = documents.iter().map(yaml::Document::is_readable).collect();
    assert_eq!(readable, [true, false, true]);
    let last = documents[2]
        .tree
        .root()
        .and_then(|root| root.get("c"))
        .and_then(Node::text);
    assert_eq!(last, Some("3"));
}

#[test]
fn bytes_that_are_no_text_are_one_fault() {
    for (bytes, kind) in [
        (&b"a: \xFF"[..], ProblemKind::Encoding),
        (b"a: b\0c", ProblemKind::Control),
    ] {
        let file = file(bytes);
        let documents = yaml::parse(&file);
        assert_eq!(documents.len(), 1);
        assert_eq!(documents[0].problems[0].kind, kind);
        assert!(documents[0].tree.is_empty());
    }
}

#[test]
fn hostile_sizes_end_soon() {
    let deep = "[".repeat(100_000);
    let dashes = format!("{}x", "- ".repeat(100_000));
    let bomb: String = (1..9).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        format!("{text}a{level}: &a{level} [{aliases}]\n")
    });
    let comments = "# note\n".repeat(100_000) + "a: 1\n";
    let wide: String = (0..100_000).map(|key| format!("k{key}: 1\n")).collect();
    for (text, kind) in [
        (&deep, Some("TooDeep")),
        (&dashes, Some("TooDeep")),
        (&bomb, Some("AliasBomb")),
        (&comments, None),
        (&wide, None),
    ] {
        let found = problems(text);
        assert_eq!(found.first().map(|(_, _, kind)| kind.as_str()), kind);
    }
}

#[test]
fn spans_are_those_of_the_text() {
    let text = "key: \"quoted\" # note\nlist:\n- one\n-  two words\nblock: |\n  line\nnext: {a: [1, 2]}\nempty:\n";
    let file = file(text);
    let documents = yaml::parse(&file);
    let root = documents[0].tree.root().expect("there is content");
    let slice = |key: &str| {
        file.slice(
            root.entries()
                .find(|(name, _)| name.text() == Some(key))
                .expect("the key is there")
                .1
                .span(),
        )
    };
    assert_eq!(slice("key"), "\"quoted\"");
    assert_eq!(slice("list"), "- one\n-  two words");
    assert_eq!(slice("block"), "|\n  line");
    assert_eq!(slice("next"), "{a: [1, 2]}");
    assert_eq!(slice("empty"), "");
    assert_eq!(file.slice(documents[0].tree.comments()[0].span), "# note");
    let texts: Vec<_> = root
        .get("list")
        .expect("the key is there")
        .items()
        .filter_map(Node::text)
        .collect();
    assert_eq!(texts, ["one", "two words"]);
    assert_eq!(root.get("block").and_then(Node::text), Some("line\n"));
}

#[test]
fn merges_give_what_kubectl_reads() {
    let file = file("b: &b {x: 1, y: 2}\nc: &c {y: 3, z: 4}\nd:\n  <<: [*b, *c]\n  x: 9\n");
    let documents = yaml::parse(&file);
    let merged = documents[0]
        .tree
        .root()
        .and_then(|root| root.get("d"))
        .expect("the key is there");
    let value = |key| merged.get(key).and_then(Node::text);
    assert_eq!([value("x"), value("y"), value("z")], [Some("9"), Some("2"), Some("4")]);
}

fn inside(node: Node<'_, '_>, file: &SourceFile) {
    let span = node.span();
    assert!(
        file.text().get(file.range(span)).is_some(),
        "{span:?} is a piece of the text"
    );
    if node.is_alias() {
        return;
    }
    let children = node.items().chain(node.entries().flat_map(|(key, value)| [key, value]));
    for child in children.filter(|child| child.id() > node.id()) {
        assert!(span.contains(child.span()), "{:?} holds {:?}", span, child.span());
        inside(child, file);
    }
}

proptest! {
    #[test]
    fn any_text_gives_an_answer(text in r#"([a-c]: |- |\[|\]|\{|\}|\n|  |\t|'|"|\||>|#|&x |\*x|---\n|é|,|: |<<: )*"#) {
        let sources = Sources::from_texts([("a.yaml", text.clone())]);
        for document in yaml::parse(&sources.files[0]) {
            if let Some(root) = document.tree.root() {
                inside(root, &sources.files[0]);
            }
        }
    }
}
