use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::{Template, Tool};
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "unrendered-template",
    page: include_str!("../../../rules/unrendered-template.md"),
    severity: Severity::Note,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &[],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let mut folders: BTreeMap<(&Utf8Path, Tool), Vec<&Template>> = BTreeMap::new();
    for template in &mesh.templates {
        folders.entry((chart(&mesh.sources.file(template.span).path, template.tool), template.tool)).or_default().push(template);
    }
    for ((folder, tool), templates) in folders {
        let files = if templates.len() == 1 { "1 file".to_owned() } else { format!("{} files", templates.len()) };
        let place = if folder.as_str().is_empty() { "." } else { folder.as_str() };
        findings
            .add(templates[0].span, format!("{files} of `{place}` must be rendered before meshlint can read them"))
            .help(command(tool, place));
    }
}

/// The chart that a Helm template belongs to, or the folder of the file.
fn chart(path: &Utf8Path, tool: Tool) -> &Utf8Path {
    let mut folders = path.ancestors().skip(1);
    let templates = path.ancestors().filter(|_| tool == Tool::Helm).find(|folder| folder.file_name() == Some("templates"));
    templates.and_then(Utf8Path::parent).or_else(|| folders.next()).unwrap_or(Utf8Path::new(""))
}

fn command(tool: Tool, folder: &str) -> String {
    let folder = format!("'{}'", folder.replace('\'', "'\\''"));
    match tool {
        Tool::Helm => format!("run `helm template {folder} | meshlint -`"),
        Tool::Ytt => format!("run `ytt -f {folder} | meshlint -`"),
        Tool::Braces | Tool::Jinja => "render it with its tool and give meshlint the result".to_owned(),
    }
}
