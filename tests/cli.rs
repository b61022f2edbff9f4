//! The program as users run it: exit codes, messages for bad input, baseline, fixes, standard input.

#![allow(missing_docs)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for one test; it goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join(".git")).expect("the folder can be made");
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("it has a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).expect("the file is there")
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, "")
    }

    fn run_with(&self, arguments: &[&str], input: &str) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_meshlint"))
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("it was piped");
        stdin.write_all(input.as_bytes()).ok();
        drop(stdin);
        Run(child.wait_with_output().expect("the program ends"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Run(Output);

impl Run {
    #[track_caller]
    fn code(self, wanted: i32) -> Self {
        assert_eq!(self.0.status.code(), Some(wanted), "{}\n{}", self.out(), self.err());
        self
    }

    #[track_caller]
    fn says(self, text: &str) -> Self {
        assert!(self.out().contains(text), "`{text}` is not in\n{}", self.out());
        self
    }

    #[track_caller]
    fn complains(self, text: &str) -> Self {
        assert!(self.err().contains(text), "`{text}` is not in\n{}", self.err());
        self
    }

    fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }
}

const GOOD: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: reviews\n  namespace: shop\nspec:\n  ports:\n  - name: http\n    port: 80\n";

const BAD: &str = "apiVersion: networking.istio.io/v1
kind: VirtualService
metadata:
  name: reviews
  namespace: shop
spec:
  hosts: [reviews]
  http:
  - route:
    - destination:
        host: reviewz
";

#[test]
fn exit_codes_tell_clean_found_and_unusable() {
    let folder = Folder::new("codes");
    folder.file("a.yaml", GOOD).run(&[]).code(0).says("no findings");
    folder
        .file("b.yaml", BAD)
        .run(&["."])
        .code(1)
        .says("unknown-destination-host");
    folder
        .run(&["check", "--fail-on", "never"])
        .code(0)
        .says("unknown-destination-host");
    for format in ["text", "json", "sarif", "github"] {
        folder.run(&["--format", format]).code(1).says("reviewz");
        folder.run(&["--format", format, "a.yaml"]).code(0);
    }
    folder.run(&["nowhere"]).code(2).complains("`nowhere` does not exist");
}

#[test]
fn bad_arguments_name_the_right_ones() {
    let folder = Folder::new("arguments");
    folder.file("a.yaml", GOOD);
    folder.run(&["--formt", "json"]).code(2).complains("--format");
    folder
        .run(&["--select", "unknown-gatway"])
        .code(2)
        .complains("did you mean `unknown-gateway`?");
    folder
        .run(&["--rule", "unknown-gateway=loud"])
        .code(2)
        .complains("--rule takes RULE=off|note|warning|error");
    folder
        .run(&["--cluster", "east"])
        .code(2)
        .complains("--cluster takes NAME=PATH");
    folder.run(&["--write-baseline"]).code(2).complains("--baseline");
    folder
        .run(&["--mesh-config", "none.yaml"])
        .code(2)
        .complains("cannot read `none.yaml`");
    folder
        .run(&["explain", "IST9999"])
        .code(2)
        .complains("no rule is called `IST9999`");
}

#[test]
fn configuration_is_found_and_its_faults_have_a_place() {
    let folder = Folder::new("config");
    folder.file("deep/b.yaml", BAD).file("deep/a.yaml", GOOD);
    folder
        .file(".meshlint.yaml", "rules:\n  unknown-destination-host: off\n")
        .run(&[])
        .code(0);
    folder.run(&["--no-config"]).code(1);
    folder
        .file(".meshlint.yaml", "rules:\n  IST0101: warning\n")
        .run(&[])
        .code(0)
        .says("warning");
    folder
        .file(".meshlint.yaml", "fail-onn: error\n")
        .run(&[])
        .code(2)
        .complains(".meshlint.yaml:1:1: unknown key `fail-onn`, did you mean `fail-on`?");
    folder
        .file(".meshlint.yaml", "complete: 3\n")
        .run(&[])
        .code(2)
        .complains(".meshlint.yaml:1:11: `complete` must be true or false");
    folder
        .file(".meshlint.yaml", "rules:\n  unknown-host-name: off\n")
        .run(&[])
        .code(2)
        .complains(":2:3: no rule is called");
    folder
        .file(".meshlint.yaml", "a: [\n")
        .run(&[])
        .code(2)
        .complains("this is no YAML");
}

#[test]
fn definitions_of_kinds_can_be_given() {
    let folder = Folder::new("definitions");
    let crd = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: virtualservices.networking.istio.io}
spec:
  group: networking.istio.io
  names: {kind: VirtualService, plural: virtualservices}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {hosts: {type: array, items: {type: string}}}}
";
    let route = "apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: a, namespace: shop}
spec:
  hosts: [a]
  tcp: []
";
    folder.file("crds/a.yaml", crd).file("manifests/a.yaml", route);
    folder
        .run(&["--crds", "crds", "manifests"])
        .code(1)
        .says("there is no field `tcp` here");
    folder.run(&["."]).code(1).says("there is no field `tcp` here");
    folder
        .file(
            "manifests/a.yaml",
            &route
                .replace("istio.io/v1", "istio.io/v1beta1")
                .replace("  tcp: []\n", ""),
        )
        .file(".meshlint.yaml", "crds: crds\n")
        .run(&["manifests"])
        .code(1)
        .says("served are networking.istio.io/v1");
    folder
        .run(&["--crds", "manifests", "manifests"])
        .code(2)
        .complains("`manifests` has no CustomResourceDefinition");
    folder
        .run(&["--crds", "nowhere"])
        .code(2)
        .complains("`nowhere` does not exist");
}

#[test]
fn ignores_need_a_reason_and_a_finding() {
    let folder = Folder::new("ignores");
    let entry = |reason: &str| format!("ignore:\n- path: deep/**\n  rules: [unknown-destination-host]\n{reason}");
    folder
        .file("deep/b.yaml", BAD)
        .file("deep/a.yaml", GOOD)
        .file(".meshlint.yaml", &entry("  reason: known\n"));
    folder.run(&[]).code(0).says("1 suppressed");
    folder
        .file(".meshlint.yaml", &entry(""))
        .run(&[])
        .code(2)
        .complains("needs a `reason`");
    folder
        .file(".meshlint.yaml", "ignore:\n- path: other/**\n  reason: none\n")
        .run(&[])
        .code(1)
        .says("unused-ignore");
}

#[test]
fn comments_and_annotations_suppress() {
    let folder = Folder::new("comments");
    folder.file("a.yaml", GOOD);
    let marked = |line: &str| BAD.replace("host: reviewz", line);
    folder
        .file(
            "b.yaml",
            &marked("host: reviewz  # meshlint: ignore[unknown-destination-host] external"),
        )
        .run(&[])
        .code(0);
    folder
        .file(
            "b.yaml",
            &marked("# meshlint: ignore[IST0101] external\n        host: reviewz"),
        )
        .run(&[])
        .code(0);
    folder
        .file(
            "b.yaml",
            &marked("host: reviewz  # meshlint: ignore[unknown-destination-host]"),
        )
        .run(&[])
        .code(1)
        .says("malformed-ignore");
    folder
        .file(
            "b.yaml",
            &marked("host: reviews  # meshlint: ignore[unknown-destination-host] none"),
        )
        .run(&[])
        .says("unused-ignore");
    for annotation in [
        "meshlint.dev/ignore: unknown-destination-host external",
        "galley.istio.io/analyze-suppress: IST0101",
        "kiali.io/ignore-validations: KIA1101",
    ] {
        let text = BAD.replace(
            "  namespace: shop\n",
            &format!("  namespace: shop\n  annotations:\n    {annotation}\n"),
        );
        folder.file("b.yaml", &text).run(&[]).code(0).says("1 suppressed");
    }
}

#[test]
fn a_baseline_takes_out_what_is_known() {
    let folder = Folder::new("baseline");
    folder.file("a.yaml", GOOD).file("b.yaml", BAD);
    folder
        .run(&["--baseline", "known.json", "--write-baseline"])
        .code(0)
        .says("1 findings are now known");
    folder
        .run(&["--baseline", "known.json"])
        .code(0)
        .says("1 in the baseline");
    folder
        .file("b.yaml", &format!("# moved\n{BAD}"))
        .run(&["--baseline", "known.json"])
        .code(0);
    folder
        .file("c.yaml", &BAD.replace("name: reviews", "name: other"))
        .run(&["--baseline", "known.json"])
        .code(1);
    folder
        .file("known.json", "{}")
        .run(&["--baseline", "known.json"])
        .code(2)
        .complains("is no baseline");
}

#[test]
fn fixes_are_shown_and_made() {
    let folder = Folder::new("fixes");
    folder.file("a.yaml", GOOD).file("b.yaml", BAD);
    folder
        .run(&["--diff", "--fix=all"])
        .code(1)
        .says("+        host: reviews");
    assert_eq!(folder.read("b.yaml"), BAD, "a diff changes nothing");
    folder.run(&["--fix"]).code(1);
    assert_eq!(folder.read("b.yaml"), BAD, "a probable fix is not a safe one");
    folder.run(&["--fix=all"]).code(0);
    assert_eq!(folder.read("b.yaml"), BAD.replace("reviewz", "reviews"));
}

#[test]
fn standard_input_and_output_files_work() {
    let folder = Folder::new("streams");
    folder
        .run_with(&["-"], &format!("{GOOD}---\n{BAD}"))
        .code(1)
        .says("reviewz");
    folder
        .file("a.yaml", GOOD)
        .file("b.yaml", BAD)
        .run(&["--format", "json", "--output", "r.json", "--", "."])
        .code(1);
    assert!(folder.read("r.json").contains("\"version\""));
}

#[test]
fn the_small_commands_answer() {
    let folder = Folder::new("commands");
    folder.run(&["rules"]).code(0).says("unknown-destination-host");
    folder
        .run(&["explain", "unknown-destination-host"])
        .code(0)
        .says("# unknown-destination-host");
    folder.run(&["explain", "IST0101"]).code(0).says("# unknown-gateway");
    folder.run(&["completions", "bash"]).code(0).says("meshlint");
    folder.run(&["--help"]).code(0).says("Examples:");
    folder.run(&["--version"]).code(0).says(env!("CARGO_PKG_VERSION"));
}

#[test]
fn manifests_are_checked_for_a_version_of_istio() {
    let folder = Folder::new("istio-version");
    folder.file(
        "policy.yaml",
        "apiVersion: security.istio.io/v1\nkind: PeerAuthentication\nmetadata: {name: default, namespace: shop}\nspec: {mtls: {mode: STRICT}}\n",
    );
    assert_eq!(folder.run(&["."]).0.status.code(), Some(0));
    let old = folder.run(&["--istio-version", "1.21", "."]);
    assert_eq!(old.0.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&old.0.stdout).contains("comes with Istio 1.22"));
    folder.file(".meshlint.yaml", "istio-version: 1.20\n");
    assert_eq!(folder.run(&["."]).0.status.code(), Some(1));
    folder.file(".meshlint.yaml", "istio-version: 2.1\n");
    let wrong = folder.run(&["."]);
    assert_eq!(wrong.0.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.0.stderr).contains("from 1.16 to 1.32"));
    let argument = folder.run(&["--istio-version", "1.99", "."]);
    assert_eq!(argument.0.status.code(), Some(2));
}

#[test]
fn schemas_are_printed() {
    let folder = Folder::new("schema");
    for arguments in [
        &["schema", "VirtualService"][..],
        &["schema", "MeshConfig"],
        &["schema", "Gateway", "--group", "networking.istio.io"],
    ] {
        let printed = folder.run(arguments);
        let json: serde_json::Value = serde_json::from_slice(&printed.0.stdout).expect("a schema is JSON");
        assert_eq!(json["title"], arguments[1]);
    }
    let two = folder.run(&["schema", "Gateway"]);
    assert_eq!(two.0.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&two.0.stderr).contains("--group gateway.networking.k8s.io"));
    let near = folder.run(&["schema", "VirtualServices"]);
    assert!(String::from_utf8_lossy(&near.0.stderr).contains("did you mean `VirtualService`?"));
}

#[test]
fn other_tools_files_and_ignored_folders_draw_nothing() {
    let folder = Folder::new("others");
    folder
        .file(".gitignore", "out/\n")
        .file(".meshlintignore", "vendor/\n")
        .file("out/b.yaml", BAD)
        .file("vendor/b.yaml", BAD)
        .file("values.yaml", "a: {{ b }}\nc: [\n")
        .file("chart/Chart.yaml", "apiVersion: v2\nname: x\n")
        .file(
            "chart/templates/x.yaml",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n",
        )
        .file(
            "kustomization.yaml",
            "resources: [a.yaml]\npatches:\n- path: patch.yaml\n",
        )
        .file(
            "patch.yaml",
            &BAD.replace("  hosts: [reviews]\n", "  hostz: [reviews]\n"),
        )
        .file("a.yaml", GOOD);
    folder.run(&[]).code(0).says("no findings");
    folder.run(&["--format", "json"]).says("helm template");
}
