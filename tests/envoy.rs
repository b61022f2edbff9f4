//! Small meshes compile to what stands beside them in `testdata/envoy/`. `UPDATE=1` rewrites the files.

#![allow(missing_docs)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder exists");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    paths
}

/// A layer of a proxy, as the file's name asks for it.
fn compiled(file: &Path) -> Value {
    let name = file.file_stem().expect("a file has a name").to_string_lossy();
    let (proxy, layer) = name.rsplit_once('.').expect("a name ends in a layer");
    let id = proxy.replacen('.', "/", 2);
    let mesh = file.with_file_name("mesh.yaml");
    let output = Command::new(env!("CARGO_BIN_EXE_meshlint"))
        .args(["proxy-config", layer, "--proxy", &id, "--format", "json", "--no-config"])
        .arg(&mesh)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    json["proxies"][&id][layer].clone()
}

/// The paths at which two values differ.
fn differences(expected: &Value, found: &Value, path: &str, out: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                differences(&of(one), &of(other), &format!("{path}.{key}"), out);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differences(one, other, &format!("{path}[{index}]"), out);
            }
        }
        (one, other) if one != other => out.push(format!("{path}: expected {one}, found {other}")),
        _ => {}
    }
}

#[test]
fn meshes_compile_to_what_is_expected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/envoy");
    let folders = entries(&root).into_iter().filter(|path| path.is_dir());
    let is_expectation = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let (mut faults, mut compared) = (Vec::new(), 0);
    for file in folders.flat_map(|folder| entries(&folder)).filter(is_expectation) {
        let found = compiled(&file);
        if env::var_os("UPDATE").is_some() {
            let text = serde_json::to_string_pretty(&found).expect("JSON is text");
            fs::write(&file, text + "\n").expect("the file can be written");
        }
        let expected = fs::read_to_string(&file).expect("it can be read");
        let expected: Value = serde_json::from_str(&expected).expect("it is JSON, or UPDATE=1 makes it so");
        let shown = file
            .strip_prefix(&root)
            .expect("it lies in the folder")
            .display()
            .to_string();
        differences(&expected, &found, &shown, &mut faults);
        compared += 1;
    }
    assert!(compared > 0);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
