//! Rules in, an outcome out.
//!
//! Selects the rules, runs them in parallel and catches what breaks, names the resource and the field of each finding,
//! takes out what is suppressed or known from the baseline, and sorts. The outcome depends on the input alone. Knows
//! nothing of formats.

pub mod baseline;
pub mod fix;
mod locate;
mod options;
mod suppress;
mod templates;

use std::panic::{self, AssertUnwindSafe};
use std::sync::OnceLock;

use rayon::prelude::*;

pub use locate::ResourceName;
pub use options::{Level, Options, PathIgnore};

use crate::envoy::World;
use crate::envoy::fleet::Fleet;
use crate::findings::{Finding, Findings, Severity};
use crate::mesh::Mesh;
use crate::rules::{self, Check, Rule};
use crate::source::{Skipped, Span};

/// A finding with what reports say of its place.
#[derive(Clone, Debug)]
pub struct Reported {
    /// The finding.
    pub finding: Finding,
    /// The object it is about, if it is about one.
    pub resource: Option<ResourceName>,
    /// The path of the value at fault, such as `spec.http[0].route[0].destination.host`. Empty where there is none.
    pub field: String,
    /// Stays the same while lines move and words change: rule, file, resource and field, and a count for equal ones.
    pub fingerprint: String,
}

impl Reported {
    /// A finding without a place.
    fn nowhere(finding: Finding) -> Self {
        Self {
            finding,
            resource: None,
            field: String::new(),
            fingerprint: String::new(),
        }
    }
}

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files read.
    pub files: usize,
    /// Documents with content, of any tool.
    pub documents: usize,
    /// Objects that meshlint knows the kind of.
    pub resources: usize,
    /// Findings by severity.
    pub errors: usize,
    /// Findings by severity.
    pub warnings: usize,
    /// Findings by severity.
    pub notes: usize,
    /// Findings that a comment, an annotation or the configuration took out.
    pub suppressed: usize,
    /// Findings that the baseline took out.
    pub baselined: usize,
    /// Files and charts that were not read as manifests, with the reason.
    pub skipped: Vec<Skipped>,
    /// Questions that the input did not answer.
    pub undecided: usize,
}

/// What a run says.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The findings, by file and place.
    pub findings: Vec<Reported>,
    /// The counts.
    pub summary: Summary,
    /// Whether a rule broke.
    pub internal_error: bool,
}

impl Outcome {
    /// Whether a finding is at least this severe.
    pub fn reaches(&self, severity: Severity) -> bool {
        self.findings
            .iter()
            .any(|reported| reported.finding.severity >= severity)
    }
}

/// Runs the selected rules over a mesh.
pub fn run(mesh: &Mesh<'_>, options: &Options) -> Outcome {
    run_with(mesh, &OnceLock::new(), options)
}

/// The same, with a place for what the compiler indexes, if a rule needs it: the caller may keep it.
pub fn run_with<'m, 'a>(mesh: &'m Mesh<'a>, world: &OnceLock<World<'m, 'a>>, options: &Options) -> Outcome {
    let selected: Vec<&Rule> = rules::all().filter(|rule| options.runs(rule)).collect();
    let (of_proxies, of_mesh): (Vec<&Rule>, _) =
        (selected.iter()).partition(|rule| matches!(rule.check, Check::Proxy(_)));
    let (mut parts, parts_of_proxies): (Vec<_>, _) = rayon::join(
        || of_mesh.par_iter().map(|rule| (*rule, check(rule, mesh))).collect(),
        || check_proxies(&of_proxies, mesh, world, options),
    );
    parts.extend(parts_of_proxies);
    let mut summary = count(mesh);
    let mut findings = Vec::new();
    let mut open = Vec::new();
    for (rule, (found, undecided)) in parts {
        findings.extend(found);
        open.extend(undecided.into_iter().map(|span| (rule.id, span)));
    }
    summary.undecided = open.len();
    let mut suppressions = suppress::Suppressions::read(mesh, options);
    findings.retain(|finding| !suppressions.take(finding));
    summary.suppressed = suppressions.taken();
    open.iter().for_each(|(rule, span)| suppressions.excuse(rule, *span));
    findings.extend(suppressions.into_findings(options));
    for finding in &mut findings {
        finding.severity = options.severity(finding);
    }
    findings.retain(|finding| finding.severity >= options.min_severity);
    let internal_error = findings.iter().any(|finding| finding.rule == "internal-error");
    let mut findings = locate::locate(mesh, findings);
    if let Some(baseline) = &options.baseline {
        let before = findings.len();
        findings.retain(|reported| !baseline.knows(&reported.fingerprint));
        summary.baselined = before - findings.len();
    }
    let of = |severity| {
        findings
            .iter()
            .filter(|reported| reported.finding.severity == severity)
            .count()
    };
    (summary.errors, summary.warnings, summary.notes) =
        (of(Severity::Error), of(Severity::Warning), of(Severity::Note));
    Outcome {
        findings,
        summary,
        internal_error,
    }
}

fn count(mesh: &Mesh<'_>) -> Summary {
    Summary {
        files: mesh.sources.manifests(),
        documents: mesh.documents,
        resources: mesh.resources.len(),
        skipped: mesh
            .sources
            .skipped
            .iter()
            .cloned()
            .chain(templates::skipped(mesh))
            .collect(),
        ..Summary::default()
    }
}

/// How many resources one task looks at.
const CHUNK: usize = 4096;

/// What one rule found, and where questions stayed open.
type Found = (Vec<Finding>, Vec<Span>);

/// Runs the rules that look at proxies. The mesh is compiled for them, once.
fn check_proxies<'m, 'a>(
    rules: &[&'static Rule],
    mesh: &'m Mesh<'a>,
    world: &OnceLock<World<'m, 'a>>,
    options: &Options,
) -> Vec<(&'static Rule, Found)> {
    let Some(first) = rules.first() else {
        return Vec::new();
    };
    let all = panic::catch_unwind(AssertUnwindSafe(|| {
        let fleet = Fleet::compile(
            world.get_or_init(|| World::new(mesh)),
            options.limits.services_per_proxy,
        );
        let check = |rule: &&'static Rule| match rule.check {
            Check::Proxy(check) => (*rule, caught(rule, |findings| check(&fleet, &options.limits, findings))),
            _ => (*rule, Found::default()),
        };
        rules.par_iter().map(check).collect()
    }));
    all.unwrap_or_else(|_| vec![(*first, (vec![broken(first)], Vec::new()))])
}

fn caught(rule: &Rule, work: impl FnOnce(&mut Findings)) -> Found {
    let mut findings = Findings::new(rule.id, rule.severity);
    match panic::catch_unwind(AssertUnwindSafe(|| work(&mut findings))) {
        Ok(()) => findings.finish(),
        Err(_) => (vec![broken(rule)], Vec::new()),
    }
}

fn check(rule: &'static Rule, mesh: &Mesh<'_>) -> Found {
    match rule.check {
        Check::Mesh(check) => caught(rule, |findings| check(mesh, findings)),
        Check::Resource(check) => {
            let chunks = mesh.resources.par_chunks(CHUNK);
            let parts = chunks.map(|chunk| {
                caught(rule, |findings| {
                    chunk.iter().for_each(|resource| check(resource, findings));
                })
            });
            parts.reduce(Default::default, |(mut all, mut open), (more, further)| {
                all.extend(more);
                open.extend(further);
                (all, open)
            })
        }
        Check::Proxy(_) | Check::Run => (Vec::new(), Vec::new()),
    }
}

/// A rule that broke says so in the place of its findings; all others still report.
fn broken(rule: &Rule) -> Finding {
    let mut findings = Findings::new("internal-error", Severity::Error);
    let message = format!("the rule `{}` failed on this input, its findings are missing", rule.id);
    let help =
        "this is a fault of meshlint: please report it with the input at https://github.com/meshlint/meshlint/issues";
    findings.add(Span::NOWHERE, message).help(help);
    findings.finish().0.remove(0)
}
