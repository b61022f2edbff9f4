use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::DestinationRule;
use crate::model::{Text, Value};
use crate::rules::{Check, Fixes, Rule};
use crate::yaml::is_placeholder;

pub const RULE: Rule = Rule {
    id: "overlapping-localities",
    page: include_str!("../../../rules/overlapping-localities.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    let levels = mesh
        .all::<DestinationRule<'_>>()
        .flat_map(|rule| rule.body.policy_levels());
    for setting in levels.filter_map(|level| level.load_balancer?.locality_lb_setting.as_ref()) {
        let sources: Vec<_> = setting
            .distribute
            .iter()
            .filter_map(|share| share.from.as_ref())
            .collect();
        report(&sources, overlaps, findings);
        for share in &setting.distribute {
            if let Some(Value::Map(weights)) = share.to.as_ref().map(|to| &to.value) {
                let targets: Vec<_> = weights.iter().map(|(locality, _)| locality).collect();
                report(
                    &targets,
                    |one, other| overlaps(one, other) || overlaps(other, one),
                    findings,
                );
            }
        }
    }
}

fn report(localities: &[&Text<'_>], overlaps: impl Fn(&str, &str) -> bool, findings: &mut Findings) {
    let mut before: Vec<&Text<'_>> = Vec::with_capacity(localities.len());
    for locality in localities.iter().copied().filter(|locality| !is_placeholder(locality)) {
        if let Some(earlier) = before.iter().find(|earlier| overlaps(earlier, locality)) {
            findings
                .add(locality, format!("the locality `{locality}` overlaps `{earlier}`"))
                .related(*earlier, "the other locality")
                .help("istiod's webhook refuses the rule; localities must not lie in each other, and a wildcard goes last");
        }
        before.push(locality);
    }
}

/// Whether a locality lies in an earlier one or holds it. A wildcard that comes later takes only what is left.
fn overlaps(earlier: &str, later: &str) -> bool {
    let (mut earlier, mut later) = (earlier.splitn(3, '/'), later.splitn(3, '/'));
    loop {
        match (earlier.next(), later.next()) {
            (Some("*") | None, _) | (_, None) => return true,
            (Some(one), Some(other)) if one == other => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::overlaps;

    #[test]
    fn a_wildcard_takes_what_is_left() {
        for (earlier, later) in [
            ("us", "us/east"),
            ("us/east", "us"),
            ("us/*", "us/east"),
            ("*", "us"),
            ("a/b/c", "a/b/c"),
        ] {
            assert!(overlaps(earlier, later), "{earlier} and {later}");
        }
        for (earlier, later) in [
            ("us/east", "us/*"),
            ("us", "*"),
            ("us/east", "us/west"),
            ("a/b/c", "a/b/*"),
            ("us", "eu"),
        ] {
            assert!(!overlaps(earlier, later), "{earlier} and {later}");
        }
    }
}
