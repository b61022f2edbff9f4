//! The reader: each key is asked for once, what is left over is a fault.

use camino::Utf8PathBuf;
use globset::GlobBuilder;

use super::{Config, ConfigErrors, FailOn};
use crate::findings::Severity;
use crate::lint::{Level, PathIgnore};
use crate::rules;
use crate::schema::nearest;
use crate::source::{SourceFile, Span};
use crate::values::minor::Minor;
use crate::yaml::{self, Document, Node, Scalar};

pub struct Reader<'s> {
    file: &'s SourceFile,
    documents: Vec<Document<'s>>,
    errors: Vec<(Span, String)>,
}

/// The keys of the file.
const KEYS: [&str; 13] = [
    "baseline",
    "cluster-domain",
    "complete",
    "crds",
    "fail-on",
    "ignore",
    "istio-version",
    "limits",
    "mesh-config",
    "min-severity",
    "namespace",
    "root-namespace",
    "rules",
];

impl<'s> Reader<'s> {
    pub fn new(file: &'s SourceFile) -> Self {
        let documents = yaml::parse(file);
        let problems = documents.iter().flat_map(|document| &document.problems);
        let errors = problems.map(|problem| (problem.span, wording(&problem.kind))).collect();
        Self {
            file,
            documents,
            errors,
        }
    }

    pub fn config(&mut self) -> Config {
        let documents = std::mem::take(&mut self.documents);
        let Some(root) = documents.iter().find_map(|document| document.tree.root()) else {
            return Config::default();
        };
        if !self.errors.is_empty() {
            return Config::default();
        }
        if !root.is_mapping() {
            self.fault(root, "the configuration must be a mapping");
            return Config::default();
        }
        self.known_keys(root, &KEYS);
        Config {
            complete: self.boolean(root, "complete"),
            namespace: self.text(root, "namespace"),
            istio_version: self.istio_version(root),
            cluster_domain: self.text(root, "cluster-domain"),
            root_namespace: self.text(root, "root-namespace"),
            crds: self.path(root, "crds"),
            mesh_config: self.path(root, "mesh-config"),
            baseline: self.path(root, "baseline"),
            fail_on: self.fail_on(root),
            min_severity: self.min_severity(root),
            levels: self.levels(root),
            services_per_proxy: self.limits(root),
            ignores: self.ignores(root),
        }
    }

    /// # Errors
    /// All faults that were met, in the order of the text.
    pub fn finish(mut self, config: Config) -> Result<Config, ConfigErrors> {
        if self.errors.is_empty() {
            return Ok(config);
        }
        self.errors.sort_by_key(|(span, _)| *span);
        let place = |(span, message): (Span, String)| {
            let at = self.file.position(self.file.range(span).start);
            (at.line, at.column, message)
        };
        Err(ConfigErrors {
            path: self.file.path.clone(),
            errors: self.errors.into_iter().map(place).collect(),
        })
    }

    fn fault(&mut self, node: Node<'_, '_>, message: impl Into<String>) {
        self.errors.push((node.span(), message.into()));
    }

    fn known_keys(&mut self, mapping: Node<'_, 's>, known: &[&str]) {
        for (key, _) in mapping.entries() {
            let name = key.text().unwrap_or_default();
            if !known.contains(&name) {
                let hint = nearest(name, known.iter().copied()).map(|near| format!(", did you mean `{near}`?"));
                self.fault(key, format!("unknown key `{name}`{}", hint.unwrap_or_default()));
            }
        }
    }

    fn boolean(&mut self, mapping: Node<'_, 's>, key: &str) -> Option<bool> {
        let node = mapping.get(key)?;
        if let Some(Scalar::Bool(value)) = node.scalar() {
            return Some(value);
        }
        self.fault(node, format!("`{key}` must be true or false"));
        None
    }

    fn text(&mut self, mapping: Node<'_, 's>, key: &str) -> Option<String> {
        let node = mapping.get(key)?;
        if let Some(Scalar::Text(text)) = node.scalar() {
            return Some(text.to_owned());
        }
        self.fault(node, format!("`{key}` must be a text"));
        None
    }

    /// Paths start from the folder of the configuration.
    fn path(&mut self, mapping: Node<'_, 's>, key: &str) -> Option<Utf8PathBuf> {
        let folder = self.file.path.parent().map(Utf8PathBuf::from).unwrap_or_default();
        self.text(mapping, key).map(|path| folder.join(path))
    }

    /// Without quotes it is a number to YAML: what counts is how it is written.
    fn istio_version(&mut self, root: Node<'_, 's>) -> Option<Minor> {
        let node = root.get("istio-version")?;
        let minor = node.text().and_then(Minor::parse).filter(|minor| minor.is_known());
        if minor.is_none() {
            let (oldest, newest) = (Minor::OLDEST, Minor::NEWEST);
            self.fault(
                node,
                format!("`istio-version` must be a minor of Istio from {oldest} to {newest}"),
            );
        }
        minor
    }

    fn fail_on(&mut self, root: Node<'_, 's>) -> Option<FailOn> {
        let node = root.get("fail-on")?;
        let fail_on = node.text().and_then(FailOn::from_name);
        if fail_on.is_none() {
            self.fault(node, "`fail-on` must be error, warning, note or never");
        }
        fail_on
    }

    fn min_severity(&mut self, root: Node<'_, 's>) -> Option<Severity> {
        let node = root.get("min-severity")?;
        let severity = node.text().and_then(Severity::from_name);
        if severity.is_none() {
            self.fault(node, "`min-severity` must be error, warning or note");
        }
        severity
    }

    fn levels(&mut self, root: Node<'_, 's>) -> Vec<(&'static str, Level)> {
        let Some(node) = root.get("rules") else {
            return Vec::new();
        };
        if !node.is_mapping() {
            self.fault(
                node,
                "`rules` must be a mapping of rules to off, note, warning or error",
            );
            return Vec::new();
        }
        let mut levels = Vec::new();
        for (key, value) in node.entries() {
            let ids = self.rules_named(key);
            match level(value) {
                Some(level) => levels.extend(ids.into_iter().map(|id| (id, level))),
                None => self.fault(value, "a rule's level must be off, note, warning or error"),
            }
        }
        levels
    }

    fn rules_named(&mut self, node: Node<'_, 's>) -> Vec<&'static str> {
        let name = node.text().unwrap_or_default();
        let found = rules::named(name);
        if found.is_empty() {
            let hint = rules::nearest(name).map(|near| format!(", did you mean `{near}`?"));
            self.fault(node, format!("no rule is called `{name}`{}", hint.unwrap_or_default()));
        }
        found.into_iter().map(|rule| rule.id).collect()
    }

    fn limits(&mut self, root: Node<'_, 's>) -> Option<usize> {
        let node = root.get("limits")?;
        if !node.is_mapping() {
            self.fault(node, "`limits` must be a mapping");
            return None;
        }
        self.known_keys(node, &["services-per-proxy"]);
        let limit = node.get("services-per-proxy")?;
        match limit.scalar() {
            Some(Scalar::Int(value)) if value >= 0 => usize::try_from(value).ok(),
            _ => {
                self.fault(limit, "`services-per-proxy` must be a whole number");
                None
            }
        }
    }

    fn ignores(&mut self, root: Node<'_, 's>) -> Vec<PathIgnore> {
        let Some(node) = root.get("ignore") else {
            return Vec::new();
        };
        if !node.is_sequence() {
            self.fault(
                node,
                "`ignore` must be a list of entries with `rules`, `path` and `reason`",
            );
            return Vec::new();
        }
        let entries: Vec<_> = node.items().collect();
        entries.into_iter().filter_map(|entry| self.ignore(entry)).collect()
    }

    fn ignore(&mut self, entry: Node<'_, 's>) -> Option<PathIgnore> {
        if !entry.is_mapping() {
            self.fault(entry, "an entry of `ignore` must be a mapping");
            return None;
        }
        self.known_keys(entry, &["path", "reason", "rules"]);
        let (path, reason) = (self.text(entry, "path"), self.text(entry, "reason"));
        if entry.get("path").is_none() {
            self.fault(entry, "an entry of `ignore` needs a `path`");
        }
        if entry.get("reason").is_none() {
            self.fault(entry, "an entry of `ignore` needs a `reason`");
        }
        let names: Vec<_> = entry
            .get("rules")
            .map(|rules| rules.items().collect())
            .unwrap_or_default();
        let rules = names.into_iter().flat_map(|name| self.rules_named(name)).collect();
        let path = path?;
        match GlobBuilder::new(&path).literal_separator(true).build() {
            Ok(glob) => Some(PathIgnore {
                rules,
                path: glob.compile_matcher(),
                reason: reason?,
                span: entry.span(),
            }),
            Err(error) => {
                self.fault(entry.get("path")?, format!("`path` is no pattern: {}", error.kind()));
                None
            }
        }
    }
}

fn level(node: Node<'_, '_>) -> Option<Level> {
    // `off` without quotes is a boolean to YAML.
    if node.scalar() == Some(Scalar::Bool(false)) {
        Some(Level::Off)
    } else {
        node.text().and_then(Level::from_name)
    }
}

fn wording(kind: &yaml::ProblemKind) -> String {
    match kind {
        yaml::ProblemKind::Syntax(message) => format!("this is no YAML: {message}"),
        yaml::ProblemKind::DuplicateKey { key, .. } => format!("the key `{key}` is already set"),
        yaml::ProblemKind::Tab => "a tab stands where only spaces may indent".into(),
        _ => "this is no YAML that meshlint reads".into(),
    }
}
