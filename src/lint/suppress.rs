//! What the user does not want to hear: comments, annotations, entries of the configuration.

use super::options::Options;
use crate::findings::{Finding, Findings, Severity};
use crate::mesh::Mesh;
use crate::rules;
use crate::schema::nearest;
use crate::source::Span;

/// One suppression, and whether a finding needed it.
#[derive(Debug)]
struct Suppression {
    /// The rules, by id; none means all.
    rules: Vec<&'static str>,
    /// What it holds for.
    scope: Scope,
    /// Where it is written.
    span: Span,
    /// Those of other tools are not reported as unused: they are there for those tools.
    own: bool,
    used: bool,
}

#[derive(Debug)]
enum Scope {
    /// Bytes of a file: a line, or a resource.
    Bytes(Span),
    /// An entry of the configuration, by index.
    Entry(usize),
}

/// All suppressions of a run.
#[derive(Debug)]
pub struct Suppressions<'r> {
    all: Vec<Suppression>,
    faults: Vec<Finding>,
    taken: usize,
    mesh: &'r Mesh<'r>,
    options: &'r Options,
}

impl<'r> Suppressions<'r> {
    /// Collects them.
    pub fn read(mesh: &'r Mesh<'r>, options: &'r Options) -> Self {
        let mut suppressions = Self {
            all: Vec::new(),
            faults: Vec::new(),
            taken: 0,
            mesh,
            options,
        };
        suppressions.comments();
        suppressions.annotations();
        for (index, entry) in options.path_ignores.iter().enumerate() {
            let (rules, span) = (entry.rules.clone(), entry.span);
            suppressions.all.push(Suppression {
                rules,
                scope: Scope::Entry(index),
                span,
                own: true,
                used: false,
            });
        }
        suppressions
    }

    /// Whether a finding is suppressed; all that suppress it count as used.
    pub fn take(&mut self, finding: &Finding) -> bool {
        let mut hit = false;
        for suppression in &mut self.all {
            let names = suppression.rules.is_empty() || suppression.rules.contains(&finding.rule);
            if names && holds(&suppression.scope, finding.span, self.mesh, self.options) {
                suppression.used = true;
                hit = true;
            }
        }
        self.taken += usize::from(hit);
        hit
    }

    /// What a rule left open at a place may come to be a finding elsewhere: ignores for it are not unused.
    pub fn excuse(&mut self, rule: &str, at: Span) {
        for suppression in &mut self.all {
            let names = suppression.rules.is_empty() || suppression.rules.contains(&rule);
            suppression.used |= names && holds(&suppression.scope, at, self.mesh, self.options);
        }
    }

    /// How many findings were suppressed.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// What is wrong with the suppressions themselves.
    pub fn into_findings(self, options: &Options) -> Vec<Finding> {
        let mut faults = self.faults;
        for suppression in self
            .all
            .iter()
            .filter(|suppression| suppression.own && !suppression.used)
        {
            let runs = suppression.rules.is_empty()
                || suppression
                    .rules
                    .iter()
                    .any(|id| rules::by_id(id).is_some_and(|rule| options.runs(rule)));
            if !runs {
                continue;
            }
            let mut findings = Findings::new("unused-ignore", Severity::Warning);
            let message = match suppression.scope {
                Scope::Entry(index) => {
                    let entry = &options.path_ignores[index];
                    format!(
                        "this entry ignores nothing: there is no such finding in `{}`",
                        entry.path.glob()
                    )
                }
                Scope::Bytes(_) => "this ignores nothing: there is no such finding here".to_owned(),
            };
            findings
                .add(suppression.span, message)
                .help("remove it, so that it does not hide a later finding");
            faults.extend(findings.finish().0);
        }
        faults.retain(|finding| options.runs_id(finding.rule));
        faults
    }

    fn comments(&mut self) {
        for directive in &self.mesh.directives {
            let rules = match parse(&directive.text) {
                Ok(rules) => rules,
                Err(fault) => {
                    self.malformed(directive.span, &fault);
                    continue;
                }
            };
            let Some(rules) = self.known(directive.span, &rules) else {
                continue;
            };
            let scope = Scope::Bytes(self.line_of(directive.span, directive.alone));
            self.all.push(Suppression {
                rules,
                scope,
                span: directive.span,
                own: true,
                used: false,
            });
        }
    }

    /// The line that a comment speaks of: its own, or the next one that is no comment where it stands alone.
    fn line_of(&self, comment: Span, alone: bool) -> Span {
        let file = self.mesh.sources.file(comment);
        let comment = file.range(comment);
        let mut line = file.position(comment.start).line as usize - 1;
        if alone {
            let comment_or_blank = |line: usize| {
                let text = file.lines().line(file.text(), line).trim_start();
                text.is_empty() || text.starts_with('#')
            };
            line += 1;
            while line < file.lines().count() && comment_or_blank(line) {
                line += 1;
            }
        }
        let start_of = |line: usize| file.lines().start(line).map(|at| at as usize);
        let end = start_of(line + 1).unwrap_or(file.text().len());
        file.span(start_of(line).unwrap_or(comment.end), end)
    }

    fn annotations(&mut self) {
        for resource in &self.mesh.resources {
            for (key, value) in resource.header.annotations.spanned() {
                let own = key.as_str() == "meshlint.dev/ignore";
                let rules = match key.as_str() {
                    "meshlint.dev/ignore" => match parse_annotation(value.as_str()) {
                        Ok(names) => self.known(value.span, &names),
                        Err(fault) => {
                            self.malformed(value.span, &fault);
                            None
                        }
                    },
                    "galley.istio.io/analyze-suppress" | "kiali.io/ignore-validations" => foreign(value.as_str()),
                    _ => None,
                };
                if let Some(rules) = rules {
                    let scope = Scope::Bytes(resource.header.span);
                    self.all.push(Suppression {
                        rules,
                        scope,
                        span: value.span,
                        own,
                        used: false,
                    });
                }
            }
        }
    }

    /// The ids behind names; unknown names are a finding.
    fn known(&mut self, span: Span, names: &[&str]) -> Option<Vec<&'static str>> {
        let mut ids = Vec::new();
        for name in names {
            let found = rules::named(name);
            if found.is_empty() {
                let mut findings = Findings::new("unknown-rule", Severity::Warning);
                let near = nearest(name, rules::all().map(|rule| rule.id));
                let help = near.map_or("`meshlint rules` lists them".to_owned(), |near| {
                    format!("did you mean `{near}`?")
                });
                findings.add(span, format!("no rule is called `{name}`")).help(help);
                self.faults.extend(findings.finish().0);
            }
            ids.extend(found.iter().map(|rule| rule.id));
        }
        (!ids.is_empty()).then_some(ids)
    }

    fn malformed(&mut self, span: Span, fault: &str) {
        let mut findings = Findings::new("malformed-ignore", Severity::Warning);
        findings.add(span, fault).help(
            "write `# meshlint: ignore[rule-id] reason`, or the annotation `meshlint.dev/ignore: rule-id reason`",
        );
        self.faults.extend(findings.finish().0);
    }
}

fn holds(scope: &Scope, at: Span, mesh: &Mesh<'_>, options: &Options) -> bool {
    match scope {
        Scope::Bytes(span) => span.has_start_of(at),
        Scope::Entry(index) => {
            let path = &mesh.sources.file(at).path;
            let relative = path.strip_prefix(&options.root).unwrap_or(path);
            options.path_ignores[*index].path.is_match(relative)
        }
    }
}

/// `ignore[rule, rule] reason`.
fn parse(text: &str) -> Result<Vec<&str>, String> {
    let rest = text
        .strip_prefix("ignore")
        .ok_or_else(|| format!("`{text}` is no instruction that meshlint knows"))?;
    let inside = rest
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    let (names, reason) = inside.ok_or("the rules to ignore are missing in brackets")?;
    let names: Vec<&str> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() {
        return Err("the rules to ignore are missing in brackets".into());
    }
    if reason.trim().is_empty() {
        return Err("the reason is missing behind the brackets".into());
    }
    Ok(names)
}

/// `rule, rule reason`: names joined by commas, then the reason.
fn parse_annotation(value: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = value.trim();
    loop {
        let end = rest.find([',', ' ']).unwrap_or(rest.len());
        names.push(&rest[..end]);
        rest = rest[end..].trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    if rest.is_empty() {
        return Err("the reason is missing behind the rules".into());
    }
    Ok(names)
}

/// The codes of istioctl's and Kiali's annotations; `*`, or nothing at all, stands for every rule. Codes that mean no rule
/// of ours are nothing to us.
fn foreign(value: &str) -> Option<Vec<&'static str>> {
    if value.trim().is_empty() || value.trim() == "*" {
        return Some(Vec::new());
    }
    let ids: Vec<_> = value
        .split(',')
        .flat_map(|code| rules::named(code.trim()))
        .map(|rule| rule.id)
        .collect();
    (!ids.is_empty()).then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_rules_and_a_reason() {
        assert_eq!(parse("ignore[a-b] because"), Ok(vec!["a-b"]));
        assert_eq!(parse("ignore[a, IST0101] because"), Ok(vec!["a", "IST0101"]));
        for text in [
            "ignore",
            "ignore[]",
            "ignore[] why",
            "ignore[a]",
            "ignore[a",
            "skip[a] why",
            "",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn annotations_name_rules_and_a_reason() {
        assert_eq!(parse_annotation("a why not"), Ok(vec!["a"]));
        assert_eq!(parse_annotation("a, b why not"), Ok(vec!["a", "b"]));
        assert!(parse_annotation("a, b").is_err());
    }
}
