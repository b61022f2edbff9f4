use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::EnvoyFilter;
use crate::model::{Spanned, Text, Value};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "undecodable-patch",
    page: include_str!("../../../rules/undecodable-patch.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

const HELP: &str = "istiod's webhook refuses the EnvoyFilter, as it cannot decode the value into Envoy's messages";

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for patch in mesh.all::<EnvoyFilter<'_>>().flat_map(|filter| filter.body.judged()) {
        if let Some(value) = patch.patch.as_ref().and_then(|patch| patch.value.as_ref()) {
            if let Some(name) = value.get("name").filter(|name| name.as_text().is_none()) {
                findings.add(name, "this name is no text").help(HELP);
            }
            look(value, findings);
        }
    }
}

/// Looks at a message and at all messages in it. What a `TypedStruct` and metadata hold is no message.
fn look(value: &Spanned<Value<'_>>, findings: &mut Findings) {
    match &value.value {
        Value::Map(_) if type_of(value).is_some_and(|name| name.ends_with(".TypedStruct")) => {}
        Value::Map(entries) => {
            for (key, inner) in entries {
                match key.as_str() {
                    "filter_metadata" | "filterMetadata" => continue,
                    "typed_config" | "typedConfig" => judge(inner, findings),
                    "typed_per_filter_config" | "typedPerFilterConfig" => {
                        entries_of(inner).iter().for_each(|(_, config)| judge(config, findings));
                    }
                    _ => {}
                }
                look(inner, findings);
            }
        }
        Value::List(items) => items.iter().for_each(|item| look(item, findings)),
        _ => {}
    }
}

/// Judges a message of any type, which must be a mapping and say its type.
fn judge(config: &Spanned<Value<'_>>, findings: &mut Findings) {
    let is_mapping = matches!(config.value, Value::Map(_));
    match config.get("@type") {
        Some(at) => judge_type(at, findings),
        None if config.as_text().is_some_and(is_placeholder) => {}
        None if entries_of(config).iter().any(|(key, _)| is_placeholder(key)) => {}
        None if is_mapping => {
            findings
                .add(config, "this configuration does not say its type")
                .missing("@type")
                .help(format!(
                    "{HELP}; `@type` is `type.googleapis.com/` and the full name of the message"
                ));
        }
        None => {
            findings.add(config, "this configuration is no mapping").help(HELP);
        }
    }
}

fn judge_type(at: &Spanned<Value<'_>>, findings: &mut Findings) {
    let Some(name) = at.as_text() else {
        findings.add(at, "this type is no text").help(HELP);
        return;
    };
    let message = name.rsplit('/').next().unwrap_or(name);
    let is_v2 = |part: &str| part == "v2" || part.starts_with("v2alpha");
    if is_placeholder(name) {
        return;
    }
    if !is_message(message) {
        findings.add(at, format!("`{name}` names no message")).help(format!(
            "{HELP}; `@type` is `type.googleapis.com/` and the full name of the message, letter case and all"
        ));
    } else if message.starts_with("envoy.") && message.split('.').any(is_v2) {
        findings
            .add(at, format!("`{name}` is a type of Envoy's API v2, which is gone"))
            .help(format!("{HELP}; write it in the types of v3"));
    }
}

/// `package.of.it.Message`.
fn is_message(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
    let capital = |last: &str| last.starts_with(|first: char| first.is_ascii_uppercase());
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(known)
        && name.rsplit_once('.').is_some_and(|(_, last)| capital(last))
}

fn type_of<'a>(value: &Spanned<Value<'a>>) -> Option<&'a str> {
    value.get("@type").and_then(|at| at.as_text())
}

fn entries_of<'v, 'a>(value: &'v Spanned<Value<'a>>) -> &'v [(Text<'a>, Spanned<Value<'a>>)] {
    match &value.value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}
