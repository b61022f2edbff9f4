//! AuthorizationPolicies as RBAC filters, and the calls of external authorizers.
//!
//! One filter an action holds the rules of all policies with that action (catalogue: policies, 27). Rules of policies that
//! only try (`istio.io/dry-run`) are shadow rules of the same filter.

mod addresses;
mod attributes;
mod external;
mod matchers;
mod rules;
mod statuses;
mod trust;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Attached, Target};
use crate::envoy::World;
use crate::envoy::environment::is_true;
use crate::envoy::message::{
    Filter, HttpConfig, HttpFilter, HttpRbac, NetworkConfig, NetworkRbac, Origin, Policy, Rbac, Str,
};
use crate::envoy::unused::{Reason, Unused};
use crate::model::istio::{Action, AuthorizationPolicy};
use rules::Chain;

/// The filters of authorization on a chain; on HTTP chains tokens are checked between the two parts.
#[derive(Clone, Debug)]
pub struct ActionFilters<F> {
    /// CUSTOM: a shadow RBAC filter and the call of the provider.
    pub custom: Vec<F>,
    /// AUDIT, DENY, ALLOW.
    pub others: Vec<F>,
}

type Attachment<'m, 'a> = Attached<'m, 'a, AuthorizationPolicy<'a>>;

/// The actions after tokens are checked, in the order of their filters, in Envoy's words.
const ENFORCED: [(Action, &str); 3] = [(Action::Audit, "LOG"), (Action::Deny, "DENY"), (Action::Allow, "")];

/// The filters of a target's HTTP chains.
pub fn http_filters(world: &World<'_, '_>, target: &Target<'_>) -> ActionFilters<HttpFilter> {
    let chain = Chain::new(world, target, false);
    let attached: Vec<_> = world.policies.authorization.of_target(world, target).collect();
    let custom = external::requests(world, &chain, &attached);
    let others = ENFORCED
        .iter()
        .filter_map(|(action, word)| rules_of(&chain, &attached, *action, word));
    ActionFilters {
        custom: custom
            .into_iter()
            .flat_map(|request| std::iter::once(http_filter(request.rules)).chain(request.http))
            .collect(),
        others: others.map(http_filter).collect(),
    }
}

/// The filters of a target's TCP chains.
pub fn tcp_filters(world: &World<'_, '_>, target: &Target<'_>) -> ActionFilters<Filter> {
    let chain = Chain::new(world, target, true);
    let attached: Vec<_> = world.policies.authorization.of_target(world, target).collect();
    let custom = external::requests(world, &chain, &attached)
        .into_iter()
        .filter(|request| request.tcp.is_some() || request.rules.enforced.is_some());
    let others = ENFORCED
        .iter()
        .filter_map(|(action, word)| rules_of(&chain, &attached, *action, word));
    ActionFilters {
        custom: custom
            .flat_map(|request| std::iter::once(network_filter(request.rules)).chain(request.tcp))
            .collect(),
        others: others.map(network_filter).collect(),
    }
}

/// The attributes of HTTP in the policies of a target, which its TCP chains cannot see.
pub fn unused_on_tcp(world: &World<'_, '_>, target: &Target<'_>) -> Vec<Unused> {
    let attached = world.policies.authorization.of_target(world, target);
    let rules = attached.flat_map(|attached| &attached.object.body.rules);
    let values = rules.flat_map(|rule| rules::http_values(rule));
    values
        .map(|span| Unused {
            reason: Reason::HttpAttributes,
            span,
            because: None,
        })
        .collect()
}

/// The rules of one filter.
#[derive(Clone, Debug, Default)]
struct Rules {
    enforced: Option<Rbac>,
    shadow: Option<Rbac>,
    prefix: &'static str,
    origin: Origin,
}

/// The rules of all policies with an action; `None` where there is no such policy.
fn rules_of(chain: &Chain<'_>, attached: &[&Attachment<'_, '_>], action: Action, word: &'static str) -> Option<Rules> {
    let mut found = Rules::default();
    for attachment in attached {
        let policy = attachment.object;
        if policy.action() != Some(action) {
            continue;
        }
        let kind = if is_dry_run(attachment) {
            &mut found.shadow
        } else {
            &mut found.enforced
        };
        let rbac = kind.get_or_insert_with(|| rbac(word));
        let key = |index| Str::from(format!("{}-rule[{index}]", policy_key(attachment)));
        rbac.policies.extend(policies(chain, attachment, key));
        found.origin.add(policy.header.span);
    }
    found.prefix = if action == Action::Deny && found.shadow.is_some() {
        "istio_dry_run_deny_"
    } else {
        "istio_dry_run_allow_"
    };
    (found.enforced.is_some() || found.shadow.is_some()).then_some(found)
}

/// The rules of a policy under their keys. A policy without rules has one that nothing matches (catalogue: policies, 32).
fn policies(chain: &Chain<'_>, attachment: &Attachment<'_, '_>, key: impl Fn(usize) -> Str) -> BTreeMap<Str, Policy> {
    let policy = attachment.object;
    if policy.rules.is_empty() {
        return BTreeMap::from([(key(0), rules::never(policy.header.span))]);
    }
    let compiled = (policy.rules.iter().enumerate()).filter_map(|(index, rule)| {
        let policy = chain.policy(policy.header, policy.action() == Some(Action::Allow), rule)?;
        Some((key(index), policy))
    });
    compiled.collect()
}

fn policy_key(attachment: &Attachment<'_, '_>) -> String {
    let header = attachment.object.header;
    format!("ns[{}]-policy[{}]", header.namespace, header.name)
}

/// Only ALLOW and DENY can be tried.
fn is_dry_run(attachment: &Attachment<'_, '_>) -> bool {
    let annotation = attachment.object.header.annotations.get("istio.io/dry-run");
    annotation.is_some_and(|text| is_true(text.as_str()))
}

fn rbac(action: &'static str) -> Rbac {
    Rbac {
        action,
        ..Rbac::default()
    }
}

fn http_filter(rules: Rules) -> HttpFilter {
    let config = HttpRbac {
        rules: rules.enforced,
        shadow_rules: rules.shadow,
        shadow_rules_stat_prefix: rules.prefix,
    };
    HttpFilter {
        name: Str::new_static("envoy.filters.http.rbac"),
        typed_config: Some(HttpConfig::Rbac(Arc::new(config))),
        origin: rules.origin,
        ..HttpFilter::default()
    }
}

fn network_filter(rules: Rules) -> Filter {
    let config = NetworkRbac {
        rules: rules.enforced,
        shadow_rules: rules.shadow,
        shadow_rules_stat_prefix: rules.prefix,
        stat_prefix: Str::new_static("tcp."),
    };
    Filter {
        name: Str::new_static("envoy.filters.network.rbac"),
        typed_config: Some(NetworkConfig::Rbac(Arc::new(config))),
        config_discovery: None,
    }
}
