//! Everything meshlint can say.
//!
//! A rule is a constant [`Rule`] and one plain function. The facts stand in the constant, the words on its page under
//! `rules/`, which is compiled in. Rules read the mesh and add [`Findings`]; they do no input or output and cannot fail.

use std::collections::BTreeMap;

use crate::envoy::fleet::Fleet;
use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::Resource;

/// One thing meshlint can say.
#[derive(Debug)]
pub struct Rule {
    /// Its name: the defect, in words that read after "ignore".
    pub id: &'static str,
    /// Its page.
    pub page: &'static str,
    /// How bad it is unless the user says otherwise.
    pub severity: Severity,
    /// Whether it offers fixes.
    pub fixes: Fixes,
    /// The version that brought it.
    pub since: &'static str,
    /// What other tools call this: istioctl's IST codes, Kiali's KIA codes. They work wherever the id works.
    pub aliases: &'static [&'static str],
    /// What it looks at.
    pub check: Check,
}

/// Whether a rule offers fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixes {
    /// Never.
    Never,
    /// Where the right value is known.
    Sometimes,
}

/// How much a rule may look at.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// One resource at a time.
    Resource(fn(&Resource<'_>, &mut Findings)),
    /// The whole mesh.
    Mesh(fn(&Mesh<'_>, &mut Findings)),
    /// The whole mesh and what istiod would push to each of its proxies, against what the user set as a limit.
    Proxy(fn(&Fleet<'_, '_, '_>, &Limits, &mut Findings)),
    /// The run itself finds it.
    Run,
}

/// Limits that are a matter of taste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many services a namespace's proxies may receive before `unscoped-namespace` speaks.
    pub services_per_proxy: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            services_per_proxy: 300,
        }
    }
}

impl Rule {
    /// The sentence under the title of its page.
    pub fn summary(&self) -> &'static str {
        let mut paragraphs = self
            .page
            .split("\n\n")
            .map(str::trim)
            .filter(|paragraph| !paragraph.is_empty());
        paragraphs.nth(1).unwrap_or_default()
    }

    /// Where its page can be read.
    pub fn url(&self) -> String {
        format!("https://github.com/meshlint/meshlint/blob/main/rules/{}.md", self.id)
    }

    /// Whether a name means this rule: its id, or a code of another tool.
    pub fn is_named(&self, name: &str) -> bool {
        self.id == name || self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

const DOMAINS: &[&[Rule]] = &[
    manifests::RULES,
    workloads::RULES,
    routing::RULES,
    destinations::RULES,
    registry::RULES,
    gateways::RULES,
    authentication::RULES,
    authorization::RULES,
    extensions::RULES,
    telemetry::RULES,
    revisions::RULES,
    scope::RULES,
    selectors::RULES,
    settings::RULES,
    visibility::RULES,
    run::RULES,
];

/// Every rule, by domain.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    DOMAINS.iter().copied().flatten()
}

/// The rule with this id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    static BY_ID: std::sync::OnceLock<BTreeMap<&'static str, &'static Rule>> = std::sync::OnceLock::new();
    BY_ID
        .get_or_init(|| all().map(|rule| (rule.id, rule)).collect())
        .get(id)
        .copied()
}

/// The rules that a name means: one by its id, perhaps several by a code of another tool.
pub fn named(name: &str) -> Vec<&'static Rule> {
    all().filter(|rule| rule.is_named(name)).collect()
}

/// The id nearest to a name that means no rule.
pub fn nearest(name: &str) -> Option<&'static str> {
    crate::schema::nearest(name, all().map(|rule| rule.id))
}

mod authentication;
mod authorization;
mod destinations;
mod extensions;
mod gateways;
mod manifests;
mod registry;
mod revisions;
mod routing;
mod run;
mod scope;
mod selectors;
mod settings;
mod telemetry;
mod visibility;
mod workloads;
