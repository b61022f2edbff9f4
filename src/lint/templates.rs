//! Files that have to be rendered first: one entry per chart or folder, with the command that renders it.

use std::collections::BTreeMap;

use camino::Utf8Path;

use crate::mesh::Mesh;
use crate::model::Tool;
use crate::source::Skipped;

/// What was skipped because a tool has to fill it in.
pub fn skipped(mesh: &Mesh<'_>) -> impl Iterator<Item = Skipped> {
    let mut folders: BTreeMap<(&Utf8Path, Tool), usize> = BTreeMap::new();
    for template in &mesh.templates {
        let path = &mesh.sources.file(template.span).path;
        *folders.entry((place(path, template.tool), template.tool)).or_default() += 1;
    }
    folders.into_iter().map(|((path, tool), count)| {
        let files = if count == 1 {
            "1 template".to_owned()
        } else {
            format!("{count} templates")
        };
        Skipped {
            path: path.to_owned(),
            reason: format!("{files} to be rendered first: {}", command(path, tool)),
        }
    })
}

/// The chart that a Helm template belongs to, or the folder of the file; of a named file, the file.
fn place(path: &Utf8Path, tool: Tool) -> &Utf8Path {
    let templates = path
        .ancestors()
        .filter(|_| tool == Tool::Helm)
        .find(|folder| folder.file_name() == Some("templates"));
    let folder = templates.and_then(Utf8Path::parent).or_else(|| path.parent());
    folder
        .filter(|folder| !folder.as_str().is_empty())
        .unwrap_or(Utf8Path::new("."))
}

fn command(path: &Utf8Path, tool: Tool) -> String {
    let path = format!("'{}'", path.as_str().replace('\'', "'\\''"));
    match tool {
        Tool::Helm => format!("run `helm template {path} | meshlint -`"),
        Tool::Ytt => format!("run `ytt -f {path} | meshlint -`"),
        Tool::Braces | Tool::Jinja => "give meshlint what their tool makes of them".to_owned(),
    }
}
