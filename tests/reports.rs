//! Every format of a report: what it looks like, that it holds to its contract, and that input cannot act through it.

use std::fmt::Write as _;

use meshlint::findings::{Edit, Findings, Fix, Severity};
use meshlint::lint::{Outcome, Reported, ResourceName, Summary};
use meshlint::report::{self, Format, Report};
use meshlint::rules;
use meshlint::source::{Skipped, Sources, Span};
use serde_json::Value;

const ROUTE: &str = include_str!("../testdata/reports/mesh/route.yaml");
const SERVICES: &str = include_str!("../testdata/reports/mesh/services.yaml");
const CREDENTIAL: &str = include_str!("../testdata/reports/mesh/credential.yaml");

/// A run: files, and what was found in them.
struct Run {
    sources: Sources,
    outcome: Outcome,
}

impl Run {
    fn new(files: &[(&str, &str)]) -> Self {
        let sources = Sources::from_texts(files.iter().copied());
        let outcome = Outcome {
            summary: Summary {
                files: files.len(),
                ..Summary::default()
            },
            ..Outcome::default()
        };
        Self { sources, outcome }
    }

    /// The span of the first `text` behind the first `after` of a file.
    fn span(&self, file: usize, after: &str, text: &str) -> Span {
        let file = &self.sources.files[file];
        let from = file
            .text()
            .find(after)
            .unwrap_or_else(|| panic!("{after:?} is in the file"));
        let at = file.text()[from..]
            .find(text)
            .unwrap_or_else(|| panic!("{text:?} is behind {after:?}"));
        file.span(from + at, from + at + text.len())
    }

    fn add(&mut self, rule: &'static str, severity: Severity, at: Span, message: &str) -> &mut Reported {
        let mut findings = Findings::new(rule, severity);
        findings.add(at, message);
        let finding = findings.finish().0.remove(0);
        let summary = &mut self.outcome.summary;
        match severity {
            Severity::Error => summary.errors += 1,
            Severity::Warning => summary.warnings += 1,
            Severity::Note => summary.notes += 1,
        }
        let fingerprint = format!("{:016x}:0", self.outcome.findings.len());
        self.outcome.findings.push(Reported {
            finding,
            resource: None,
            field: String::new(),
            fingerprint,
        });
        self.outcome.findings.last_mut().expect("one was just added")
    }

    fn written(&self, format: Format, change: impl FnOnce(&mut Report<'_>)) -> String {
        let mut report = Report {
            outcome: &self.outcome,
            sources: &self.sources,
            color: false,
            unicode: true,
            width: 100,
            working_directory: "/work/repo".into(),
        };
        change(&mut report);
        let mut out = Vec::new();
        report::write(format, &report, &mut out).expect("memory takes all");
        String::from_utf8(out).expect("reports are UTF-8")
    }

    fn text(&self) -> String {
        self.written(Format::Text, |_| {})
    }

    fn json(&self, format: Format) -> Value {
        serde_json::from_str(&self.written(format, |_| {})).expect("the report is JSON")
    }
}

fn about(reported: &mut Reported, kind: &str, name: &str, field: &str) {
    reported.field = field.into();
    reported.resource = Some(ResourceName {
        api_version: "networking.istio.io/v1".into(),
        kind: kind.into(),
        namespace: "shop".into(),
        name: name.into(),
    });
}

/// One of each: places beside, far and in another file, a span of several lines, one of no width, a fix, a rule with
/// aliases, files that were skipped.
fn shop() -> Run {
    let mut run = Run::new(&[("mesh/route.yaml", ROUTE), ("./mesh/../mesh/services.yaml", SERVICES)]);
    host(&mut run);
    subset(&mut run);
    shadowed(&mut run);
    let file = &run.sources.files[0];
    let past = file.range(run.span(0, "5s", "5s")).end;
    let end = file.span(past, past);
    run.add("syntax-error", Severity::Note, end, "here something is missing")
        .finding
        .help("line one\nand line two");
    let summary = &mut run.outcome.summary;
    (summary.documents, summary.resources) = (3, 3);
    (summary.suppressed, summary.baselined, summary.undecided) = (1, 2, 4);
    summary.skipped = vec![Skipped {
        path: "mesh/big #1.yaml".into(),
        reason: "larger than 4 GiB".into(),
    }];
    run
}

fn host(run: &mut Run) {
    let (at, routed, nearest) = (
        run.span(0, "http:", "reviewz"),
        run.span(0, "", "reviews"),
        run.span(1, "", "reviews"),
    );
    let message = "no Service or ServiceEntry defines `reviewz`";
    let reported = run.add("unknown-destination-host", Severity::Error, at, message);
    about(
        reported,
        "VirtualService",
        "reviews",
        "spec.http[0].route[0].destination.host",
    );
    let finding = &mut reported.finding;
    finding.help("did you mean `reviews`? Envoy has no cluster for a host that nothing defines and answers every request with 503");
    finding
        .related(routed, "routed by this VirtualService")
        .related(nearest, "the nearest host");
    finding.fix(Some(Fix::risky(
        "use `reviews`",
        Edit {
            span: at,
            text: "reviews".into(),
        },
    )));
}

fn subset(run: &mut Run) {
    let (at, whole, route) = (
        run.span(0, "subset", "v9"),
        run.span(0, "{host", "{host: reviewz, subset: v9}"),
        run.span(0, "- name", "all"),
    );
    let reported = run.add(
        "undefined-subset",
        Severity::Warning,
        at,
        "no DestinationRule defines subset `v9`",
    );
    about(
        reported,
        "VirtualService",
        "reviews",
        "spec.http[0].route[0].destination.subset",
    );
    reported
        .finding
        .related(route, "this route")
        .related(whole, "its destination");
}

fn shadowed(run: &mut Run) {
    let (at, size) = (
        run.span(0, "- match", "match:\n    - uri:\n        prefix: \"/größe\""),
        run.span(0, "prefix", "\"/größe\""),
    );
    let reported = run.add("shadowed-route", Severity::Warning, at, "no request reaches this route");
    reported.finding.related(size, "it wants this path");
}

#[test]
fn every_format_looks_as_it_did() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../testdata/reports");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.add_filter(
        &format!("\"semanticVersion\": ?\"{}\"", env!("CARGO_PKG_VERSION")),
        "\"semanticVersion\":\"…\"",
    );
    settings.bind(|| {
        for format in Format::ALL {
            let mut written = shop().written(format, |_| {});
            if format == Format::Sarif {
                written = sarif_without_rules(&written);
            }
            insta::assert_snapshot!(format.name(), written);
        }
        insta::assert_snapshot!(
            "text-ascii",
            shop().written(Format::Text, |report| report.unicode = false)
        );
        let colored = shop().written(Format::Text, |report| report.color = true);
        insta::assert_snapshot!("text-color", colored.replace('\u{1b}', "^"));
        insta::assert_snapshot!("secrets", secrets().text());
        insta::assert_snapshot!("hostile", hostile().text());
    });
}

/// The rules come and go; a test of their own looks at them.
fn sarif_without_rules(written: &str) -> String {
    let mut json: Value = serde_json::from_str(written).expect("SARIF is JSON");
    json["runs"][0]["tool"]["driver"]["rules"] = Value::from("all");
    for result in json["runs"][0]["results"].as_array_mut().expect("results are a list") {
        result
            .as_object_mut()
            .expect("a result is an object")
            .shift_remove("ruleIndex");
    }
    serde_json::to_string_pretty(&json).expect("JSON has a text")
}

#[test]
fn formats_have_names() {
    for format in Format::ALL {
        assert_eq!(Format::from_name(format.name()), Some(format));
    }
    assert_eq!(Format::from_name("yaml"), None);
}

#[test]
fn a_clean_run_is_a_whole_report() {
    let run = Run::new(&[("a.yaml", "")]);
    assert_eq!(run.text(), "no findings in 1 file\n");
    assert_eq!(run.written(Format::Github, |_| {}), "no findings in 1 file\n");
    assert_eq!(run.json(Format::Json)["findings"], Value::Array(Vec::new()));
    assert_eq!(run.json(Format::Sarif)["runs"][0]["results"], Value::Array(Vec::new()));
    assert_valid(&run.json(Format::Json));
}

#[test]
fn a_finding_without_a_file_has_a_report() {
    let mut run = Run::new(&[]);
    let nowhere = Span::NOWHERE;
    run.add("unused-ignore", Severity::Warning, nowhere, "this ignores nothing")
        .finding
        .related(nowhere, "nor this");
    assert!(run.text().contains("this ignores nothing"), "{}", run.text());
    let github = run.written(Format::Github, |_| {});
    assert!(
        github.starts_with("::warning title=unused-ignore::this ignores nothing"),
        "{github}"
    );
    let json = run.json(Format::Json);
    assert_valid(&json);
    assert_eq!(
        (&json["findings"][0]["file"], &json["findings"][0]["line"]),
        (&Value::from(""), &Value::from(1))
    );
    assert_eq!(location(&run.json(Format::Sarif))["artifactLocation"]["uri"], ".");
}

#[test]
fn spans_outside_the_text_are_taken_as_they_come() {
    let mut run = Run::new(&[("a.yaml", "a: ü\r\n"), ("b.yaml", "")]);
    for (file, start, end) in [
        (0, 4, 4),
        (0, 5, 7),
        (0, 6, 6),
        (0, 7, 99),
        (0, 99, 99),
        (1, 0, 0),
        (1, 3, 1),
    ] {
        let file = &run.sources.files[file];
        let (span, all) = (file.span(start, end), file.span(0, 99));
        run.add("syntax-error", Severity::Error, span, "odd")
            .finding
            .related(all, "all");
    }
    for format in Format::ALL {
        run.written(format, |report| report.width = 0);
    }
    assert_valid(&run.json(Format::Json));
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../schemas/report.json")).expect("the schema is JSON")
}

fn assert_valid(json: &Value) {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is a schema");
    let faults: Vec<String> = validator
        .iter_errors(json)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn json_holds_to_its_schema() {
    jsonschema::meta::validate(&schema()).expect("the schema is a schema");
    let runs = [shop(), secrets(), hostile()];
    for run in &runs {
        assert_valid(&run.json(Format::Json));
    }
    let mut json = shop().json(Format::Json);
    json["findings"][0]["surplus"] = Value::from(1);
    assert!(!jsonschema::is_valid(&schema(), &json), "the schema is closed");
}

#[test]
fn json_counts_lines_and_columns_from_one_in_characters() {
    let mut run = Run::new(&[("a.yaml", "\u{feff}ä: b\nc: größe # ü\n")]);
    let at = run.span(0, "größe", "größe");
    run.add("x", Severity::Note, at, "here");
    let json = run.json(Format::Json);
    let number = |key: &str| json["findings"][0][key].as_u64();
    let place = ["line", "column", "endLine", "endColumn", "byteStart", "byteEnd"].map(number);
    assert_eq!(place, [2, 4, 2, 9, 12, 19].map(Some));
    let lines = run.written(Format::Json, |_| {});
    assert_eq!(lines.lines().count(), 4, "one finding per line: {lines}");
}

fn location(sarif: &Value) -> &Value {
    &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
}

#[test]
fn sarif_has_every_rule_with_its_page() {
    let sarif = shop().json(Format::Sarif);
    let listed = sarif["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules are a list");
    assert_eq!(listed.len(), rules::all().count());
    for (rule, json) in rules::all().zip(listed) {
        assert_eq!(json["id"], rule.id);
        assert_ne!(json["name"], rule.id, "a name that equals the id is refused");
        assert_eq!(json["defaultConfiguration"]["level"], rule.severity.as_str());
        assert_eq!(json["helpUri"], rule.url());
        assert_eq!(json["help"]["markdown"], rule.page);
        for text in [
            &json["help"]["text"],
            &json["shortDescription"]["text"],
            &json["fullDescription"]["text"],
        ] {
            assert!(
                text.as_str().is_some_and(|text| !text.is_empty()),
                "{}: {json}",
                rule.id
            );
        }
        let tags = json["properties"]["tags"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        assert!(
            tags.len() <= 20 && rule.aliases.iter().all(|alias| tags.contains(&Value::from(*alias))),
            "{tags:?}"
        );
    }
    for result in sarif["runs"][0]["results"].as_array().expect("results are a list") {
        let index = result["ruleIndex"]
            .as_u64()
            .and_then(|index| usize::try_from(index).ok());
        let id = &result["ruleId"];
        assert_eq!(
            index.map(|index| &listed[index]["id"]),
            rules::all().any(|rule| id == rule.id).then_some(id)
        );
    }
}

#[test]
fn sarif_uris_are_relative_and_encoded() {
    let cases = [
        (
            "my manifests/ü 100% #1 [a]?.yaml",
            "my%20manifests/%C3%BC%20100%25%20%231%20%5Ba%5D%3F.yaml",
        ),
        ("/work/repo/a.yaml", "a.yaml"),
        ("/elsewhere/a.yaml", "file:///elsewhere/a.yaml"),
        ("-", "stdin"),
    ];
    for (path, uri) in cases {
        let mut run = Run::new(&[(path, "a: b\n")]);
        let at = run.span(0, "b", "b");
        run.add("x", Severity::Error, at, "[a](https://example.com) {0}");
        let sarif = run.json(Format::Sarif);
        assert_eq!(location(&sarif)["artifactLocation"]["uri"], uri);
        assert_eq!(
            sarif["runs"][0]["results"][0]["message"]["text"],
            "[a] (https://example.com) {0}"
        );
    }
}

#[test]
fn sarif_says_whether_the_run_was_whole() {
    let mut run = shop();
    let skipped = &run.json(Format::Sarif)["runs"][0]["invocations"][0];
    assert_eq!(skipped["executionSuccessful"], true);
    assert_eq!(
        skipped["toolExecutionNotifications"][0]["message"]["text"],
        "skipped: larger than 4 GiB"
    );
    run.outcome.internal_error = true;
    assert_eq!(
        run.json(Format::Sarif)["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
}

#[test]
fn github_gives_columns_on_one_line_only() {
    let written = shop().written(Format::Github, |_| {});
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(
        lines[0].starts_with(
            "::error file=mesh/route.yaml,line=12,endLine=12,col=27,endColumn=34,title=unknown-destination-host::no "
        ),
        "{written}"
    );
    assert!(
        lines[0].contains("%0Amesh/") && lines[0].contains("%0Ahelp: did you mean"),
        "{written}"
    );
    assert!(
        lines[2].starts_with("::warning file=mesh/route.yaml,line=13,endLine=15,title=shadowed-route::"),
        "{written}"
    );
    assert!(lines[3].starts_with("::notice "), "{written}");
}

/// A Secret with a finding at every line, one in its flow mapping, and one elsewhere that speaks of the Secret.
fn secrets() -> Run {
    let mut run = Run::new(&[("credential.yaml", CREDENTIAL), ("a.yaml", "a: b\n")]);
    let file = &run.sources.files[0];
    let lines = 0..file.lines().count() - 1;
    let spans: Vec<Span> = lines
        .filter_map(|line| {
            let text = file.lines().line(file.text(), line);
            let start = file.lines().start(line)? as usize + text.len() - text.trim_start().len();
            Some(file.span(start, start + text.trim().len()))
        })
        .collect();
    for span in spans {
        run.add("unknown-field", Severity::Error, span, "this line");
    }
    let (port, other) = (
        run.span(0, "port", "61616161"),
        run.span(0, "other:", "\"HIDDEN-other\""),
    );
    let finding = &mut run
        .add(
            "mistyped-field",
            Severity::Error,
            port,
            "`port` takes a text, `61616161` is a number",
        )
        .finding;
    finding.help("write `\"61616161\"`").fix(Some(Fix::safe(
        "quote it",
        Edit {
            span: port,
            text: "\"61616161\"".into(),
        },
    )));
    let at = run.span(1, "b", "b");
    run.add("unknown-field", Severity::Error, at, "another")
        .finding
        .related(other, "not like `HIDDEN-other`");
    run
}

const SECRET: [&str; 5] = ["HIDDEN", "BEGIN KEY", "SElEREVO", "61616161", "nested"];

fn assert_hidden(run: &Run) {
    for format in Format::ALL {
        let written = run.written(format, |_| {});
        for secret in SECRET {
            assert!(
                !written.contains(secret),
                "{secret} is shown as {}: {written}",
                format.name()
            );
        }
    }
}

#[test]
fn values_of_secrets_are_never_shown() {
    assert_hidden(&secrets());
    let text = secrets().text();
    for shown in [
        "user: ***  ***",
        "port: ***",
        "token: ***, other: ***}",
        "type: kubernetes.io/tls",
        "immutable: false",
    ] {
        assert!(text.contains(shown), "{shown} is shown: {text}");
    }
}

#[test]
fn keys_of_tokens_are_shown_only_if_they_are_public() {
    let key = |rest: &str| format!(r#"{{"kty": "RSA", "n": "PUBLIC", "e": "AQAB"{rest}}}"#);
    let text = format!(
        "a:\n- jwks: '{}'\n- jwks: '{}'\n- jwks: HIDDEN\n",
        key(""),
        key(r#", "d": "HIDDEN""#)
    );
    let mut run = Run::new(&[("tokens.yaml", text.as_str())]);
    let span = run.sources.files[0].span(0, text.len());
    run.add("private-key-in-jwks", Severity::Warning, span, "here");
    assert_hidden(&run);
    assert!(run.text().contains("PUBLIC"), "{}", run.text());
}

#[test]
fn values_of_broken_and_listed_secrets_are_not_shown_either() {
    let indented = CREDENTIAL.replace('\n', "\n  ");
    let forms = [
        format!("{CREDENTIAL}\n  broken: [\n"),
        format!("{CREDENTIAL}copy: &a HIDDEN-anchor\nstringData: {{a: *a}}\n"),
        format!("apiVersion: v1\nkind: List\nitems:\n- {indented}\n"),
        format!("a: b\n---\n{CREDENTIAL}---\n{CREDENTIAL}"),
        format!("{{{{- if .Values.tls }}}}\n{CREDENTIAL}{{{{- end }}}}\n"),
        CREDENTIAL.replace('\n', "\r\n"),
        "--- {kind: Secret, stringData: {user: HIDDEN,\nother: HIDDEN\n".to_owned(),
    ];
    for text in forms {
        let mut run = Run::new(&[("credential.yaml", &text)]);
        let spans: Vec<Span> = text
            .match_indices('\n')
            .map(|(at, _)| run.sources.files[0].span(at.saturating_sub(3), at))
            .collect();
        for span in spans {
            let file = &run.sources.files[0];
            let all = file.span(0, file.range(span).end);
            run.add("unknown-field", Severity::Error, span, "here")
                .finding
                .related(all, "all of it");
        }
        assert_hidden(&run);
    }
}

#[test]
fn a_reference_to_a_secret_hides_nothing_and_a_generator_its_literals() {
    let route = "kind: Gateway\nmetadata: {name: edge}\ncertificateRefs: # which\n- kind: Secret\n  name: edge\n";
    let generator = "secretGenerator:\n- name: edge\n  literals:\n  - token=HIDDEN\n";
    let mut run = Run::new(&[
        ("a.yaml", route),
        ("b.yaml", &format!("{route}broken: [\n")),
        ("kustomization.yaml", generator),
    ]);
    for (file, text) in [(0, "# which"), (1, "# which"), (2, "literals")] {
        let at = run.span(file, "", text);
        run.add("unknown-field", Severity::Error, at, "here");
    }
    let text = run.text();
    assert_eq!(text.matches("certificateRefs: # which").count(), 2, "{text}");
    assert!(text.contains("  - ***") && !text.contains("HIDDEN"), "{text}");
}

/// File names, values and messages that try to steer a terminal or a build.
fn hostile() -> Run {
    let text = "a: \u{1b}[31mred\u{9b}2J \u{202e}evil\u{2066} z\u{200b}w\u{7f}\n\tb: \u{feff}c ##[add-mask]d\r::error::e\n::set-output name=x::y\n";
    let path = "::warning::\u{1b}]0;title\u{7}\n::error::a,b:c%\u{202e}.yaml";
    let mut run = Run::new(&[(path, text)]);
    let (red, next, command) = (
        run.span(0, "red", "red"),
        run.span(0, "c ##", "d"),
        run.span(0, "y", "y"),
    );
    let message = "`\u{1b}[2J`\n::error::pwned\r\n::stop-commands::x ##[group]\u{2028}";
    for span in [red, next, command] {
        let reported = run.add("unknown-field", Severity::Error, span, message);
        about(reported, "Virtual\nService", "\u{1b}[0m", "spec[\"\n::debug::\"]");
        reported
            .finding
            .related(red, message)
            .help("\n::error::first\n::error::second \u{1b}")
            .related(next, "::x\n::y");
    }
    run.outcome.summary.skipped.push(Skipped {
        path: "\n::error::skipped\u{1b}".into(),
        reason: "no\n::error::reason".into(),
    });
    run
}

#[test]
fn nothing_from_the_input_acts() {
    for format in Format::ALL {
        let written = hostile().written(format, |_| {});
        let acts = |c: &char| {
            c.is_control() && *c != '\n'
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{2028}')
        };
        assert_eq!(written.chars().find(acts), None, "{}: {written:?}", format.name());
        assert!(!written.contains("##["), "{}: {written}", format.name());
        for line in written.lines().filter(|line| line.trim_start().starts_with("::")) {
            assert!(
                format == Format::Github && line.starts_with("::error file="),
                "{}: {line}",
                format.name()
            );
        }
    }
    let github = hostile().written(Format::Github, |_| {});
    assert_eq!(github.lines().count(), 4, "{github}");
    assert!(
        github.contains(
            "file=%3A%3Awarning%3A%3A\\u{1b}]0;title\\u{7}\\n%3A%3Aerror%3A%3Aa%2Cb%3Ac%25\\u{202e}.yaml,line=1,"
        ),
        "{github}"
    );
}

#[test]
fn colors_and_links_come_on_demand_only() {
    let plain = shop().text();
    assert!(!plain.contains('\u{1b}'));
    assert!(
        shop()
            .written(Format::Text, |report| report.unicode = false)
            .replace("größe", "")
            .is_ascii()
    );
    let colored = shop().written(Format::Text, |report| report.color = true);
    for rule in rules::all().filter(|rule| rule.id == "unknown-destination-host") {
        assert!(
            plain.contains(&format!("error[{}] ({})", rule.id, rule.url())),
            "{plain}"
        );
        assert!(
            colored.contains(&format!("\u{1b}]8;;{}\u{1b}\\", rule.url())),
            "{colored}"
        );
    }
}

#[test]
fn long_lines_are_cut_around_the_fault() {
    let text = format!(
        "{{\"first\": \"{}\", \"host\": \"reviewz\", \"last\": \"{}\"}}\n",
        "ä".repeat(5000),
        "ö".repeat(5000)
    );
    let mut run = Run::new(&[("a.json", &text)]);
    let (at, far) = (run.span(0, "reviewz", "reviewz"), run.span(0, "first", "first"));
    run.add("unknown-field", Severity::Error, at, "here")
        .finding
        .related(far, "far away")
        .related(at, "the same");
    let written = run.text();
    assert!(
        written.contains("…") && written.contains("\"host\": \"reviewz\""),
        "{written}"
    );
    assert!(written.lines().all(|line| line.chars().count() <= 110), "{written}");
    assert!(written.contains("a.json:1:5024"), "{written}");
    assert!(
        written.contains("far away") && written.contains("the same"),
        "{written}"
    );
}

/// One line for all findings, or a line each: both must be written in one pass.
#[test]
fn tens_of_thousands_of_findings_are_written() {
    let count = 12_000;
    for between in [" ", "\n"] {
        let mut text = String::new();
        for number in 0..count {
            write!(text, "{{\"ü-{number}\": value}},{between}").expect("a String takes any text");
        }
        let mut run = Run::new(&[("a.json", &text)]);
        let values: Vec<usize> = text.match_indices("value").map(|(at, _)| at).collect();
        for at in values {
            let (value, key) = (
                run.sources.files[0].span(at, at + 5),
                run.sources.files[0].span(at - 4, at - 2),
            );
            let reported = run.add("unknown-field", Severity::Error, value, "not here");
            reported.finding.related(key, "its key").help("remove it");
        }
        for format in Format::ALL {
            let written = run.written(format, |_| {});
            assert_eq!(written.matches("not here").count(), count, "{}", format.name());
        }
    }
}

#[test]
fn places_do_not_depend_on_what_was_asked_before() {
    let text = "\u{feff}ä: {b: ü, c: [ö, {d: e}]} # ß\nf: g\n";
    let ends: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    let mut run = Run::new(&[("a.yaml", text), ("b.yaml", text)]);
    for (index, (start, step)) in ends.iter().flat_map(|at| [(*at, 7), (*at, 3)]).enumerate() {
        let end = *ends.iter().find(|end| **end >= start + step).unwrap_or(&text.len());
        let span = run.sources.files[index % 5 / 4].span(start, end);
        let back = run.sources.files[0].span(start / 2 * usize::from(text.is_char_boundary(start / 2)), start);
        run.add("x", Severity::Note, span, "here")
            .finding
            .related(back, "there");
    }
    let json = run.json(Format::Json);
    for (reported, finding) in run
        .outcome
        .findings
        .iter()
        .zip(json["findings"].as_array().expect("a list"))
    {
        let places = [
            (reported.finding.span, finding),
            (reported.finding.related[0].span, &finding["related"][0]),
        ];
        for (span, json) in places {
            let file = run.sources.file(span);
            let range = file.range(span);
            let (start, end) = (file.position(range.start), file.position(range.end));
            let written = ["line", "column", "endLine", "endColumn"].map(|key| json[key].as_u64());
            assert_eq!(
                written,
                [start.line, start.column, end.line, end.column].map(|number| Some(number.into())),
                "{span:?}"
            );
        }
    }
}
