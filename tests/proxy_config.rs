//! `meshlint proxy-config` as users run it: tables, JSON, YAML, and proxies that do not exist.

#![allow(missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use meshlint::source::SourceFile;
use meshlint::yaml::{Node, Scalar, parse};
use serde_json::Value;

const MESH: &str = "apiVersion: v1
kind: Namespace
metadata: {name: istio-system}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {istio-injection: enabled}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: 8080}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: till, namespace: shop}
spec:
  selector: {matchLabels: {app: till}}
  template:
    metadata: {labels: {app: till}}
    spec: {containers: [{name: till, image: till}]}
---
apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata: {name: chains, namespace: shop}
spec:
  workloadSelector: {labels: {app: web}}
  configPatches:
  - applyTo: FILTER_CHAIN
    match: {context: SIDECAR_INBOUND, listener: {filterChain: {destinationPort: 8080}}}
    patch:
      operation: MERGE
      value: {name: \"a\\e[31mb\", transport_socket_connect_timeout: 0.5s}
  - applyTo: LISTENER
    match: {context: SIDECAR_INBOUND}
    patch:
      operation: ADD
      value: {name: \"9\", address: {pipe: {path: \"/run/\\e[31m\"}}, filter_chains: [{name: none}]}
";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("proxy-config-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join(".git")).expect("the folder can be made");
    fs::write(folder.join("mesh.yaml"), MESH).expect("the file can be written");
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshlint"));
    let command = command.arg("proxy-config").args(arguments).current_dir(folder);
    command.output().expect("the program starts")
}

#[track_caller]
fn out(output: &Output) -> &str {
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    std::str::from_utf8(&output.stdout).expect("it is text")
}

#[track_caller]
fn refusal(output: &Output) -> &str {
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    std::str::from_utf8(&output.stderr).expect("it is text")
}

#[test]
fn tables_say_what_made_a_row() {
    let folder = folder("tables");
    let output = run(&folder, &["listeners", "--proxy", "Deployment/shop/web", "mesh.yaml"]);
    let lines: Vec<&str> = out(&output).lines().collect();
    let headings: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(headings, ["ADDRESSES", "PORT", "MATCH", "DESTINATION", "ORIGIN"]);
    let column = lines[0].find("ORIGIN").expect("it is a heading");
    assert!(
        lines[1..]
            .iter()
            .all(|line| line[column..].starts_with("mesh.yaml:") || &line[column..] == "-")
    );
    assert!(lines.iter().any(|line| line.contains("Addr: *:8080")));
}

#[test]
fn several_proxies_have_headings_and_all_has_five_tables() {
    let folder = folder("headings");
    let output = run(&folder, &["all", "--all-proxies", "mesh.yaml"]);
    let text = out(&output);
    assert!(text.contains("Deployment/shop/web:\n") && text.contains("\nDeployment/shop/till:\n"));
    for heading in ["ADDRESSES", "VHOST NAME", "SERVICE FQDN", "ENDPOINT", "RESOURCE NAME"] {
        assert_eq!(text.matches(heading).count(), 2, "{heading}");
    }
    let one = run(&folder, &["secrets", "--proxy", "Deployment/shop/web", "mesh.yaml"]);
    assert!(out(&one).starts_with("RESOURCE NAME"));
}

#[test]
fn nothing_of_the_input_acts() {
    let folder = folder("escapes");
    for format in ["text", "json", "yaml"] {
        let output = run(&folder, &["all", "--all-proxies", "--format", format, "mesh.yaml"]);
        assert!(
            out(&output).contains("[31m") && !out(&output).contains('\u{1b}'),
            "{format}"
        );
    }
}

#[test]
fn patches_show() {
    let folder = folder("patches");
    let output = run(
        &folder,
        &["listeners", "--all-proxies", "--format", "json", "mesh.yaml"],
    );
    let json: Value = serde_json::from_str(out(&output)).expect("it is JSON");
    let timeouts = |proxy: &str| {
        let listeners = json["proxies"][proxy]["listeners"].as_array().expect("there is a list");
        let chains = listeners
            .iter()
            .flat_map(|listener| listener["filterChains"].as_array().expect("there are chains"));
        chains
            .filter(|chain| chain["transportSocketConnectTimeout"] == "0.500s")
            .count()
    };
    assert!(timeouts("Deployment/shop/web") > 0);
    assert_eq!(timeouts("Deployment/shop/till"), 0);
    assert!(json["proxies"]["Deployment/shop/web"].get("routes").is_none());
}

fn value(node: Node<'_, '_>) -> Value {
    if node.is_mapping() {
        let entries = node.entries();
        return Value::Object(
            entries
                .map(|(key, inner)| (key.key().into_owned(), value(inner)))
                .collect(),
        );
    }
    if node.is_sequence() {
        return node.items().map(value).collect();
    }
    match node.scalar() {
        Some(Scalar::Bool(value)) => Value::from(value),
        Some(Scalar::Int(value)) => Value::from(value),
        Some(Scalar::Float(value)) => Value::from(value),
        Some(Scalar::Text(value)) => Value::from(value),
        Some(Scalar::Null) | None => Value::Null,
    }
}

#[test]
fn yaml_is_the_json() {
    let folder = folder("yaml");
    let all = |format| run(&folder, &["all", "--all-proxies", "--format", format, "mesh.yaml"]);
    let (json, yaml) = (all("json"), all("yaml"));
    let json: Value = serde_json::from_str(out(&json)).expect("it is JSON");
    let file = SourceFile::new("out.yaml".into(), out(&yaml).into(), true, 0);
    let documents = parse(&file);
    assert!(documents.len() == 1 && documents[0].problems.is_empty());
    assert_eq!(value(documents[0].tree.root().expect("there is one")), json);
}

#[test]
fn unknown_proxies_are_answered_with_known_ones() {
    let folder = folder("unknown");
    let ask = |id: &str| run(&folder, &["all", "--proxy", id, "mesh.yaml"]);
    let near = ask("Deployment/shop/wob");
    assert!(refusal(&near).contains("no proxy `Deployment/shop/wob`: did you mean `Deployment/shop/web`? There are 2"));
    let same_name = ask("StatefulSet/default/till");
    assert!(refusal(&same_name).contains("did you mean `Deployment/shop/till`?"));
    let far = ask("x");
    assert!(refusal(&far).contains("there are 2, such as"));
    let none = run(&folder, &["all"]);
    assert!(refusal(&none).contains("--proxy"));
}
