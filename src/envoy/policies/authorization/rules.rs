//! One rule of a policy as a policy of RBAC.

use super::attributes::Attribute;
use super::trust::TrustDomains;
use crate::envoy::World;
use crate::envoy::message::{Origin, Permission, Permissions, Policy, Principal, Principals, Str};
use crate::envoy::pods::Role;
use crate::envoy::policies::Target;
use crate::model::istio::{Condition, Operation, Rule, Source};
use crate::model::{Header, Text};
use crate::source::Span;

/// The kind of chain that rules are compiled for.
#[derive(Clone, Debug)]
pub(super) struct Chain<'t> {
    target: &'t Target<'t>,
    is_tcp: bool,
    trust: TrustDomains,
}

/// An attribute with the values that it must and must not have.
struct Clause<'p> {
    attribute: Attribute<'p>,
    values: Vec<Str>,
    not_values: Vec<Str>,
}

/// A rule that no request matches.
pub(super) fn never(span: Span) -> Policy {
    Policy {
        permissions: vec![Permission::not(Permission::anything())],
        principals: vec![Principal::not(Principal::anything())],
        origin: Origin::of(span),
    }
}

/// The places of values that only HTTP has.
pub(super) fn http_values(rule: &Rule<'_>) -> Vec<Span> {
    let operations = rule.to.iter().filter_map(|to| to.operation.as_ref());
    let sources = rule.from.iter().filter_map(|from| from.source.as_ref());
    let conditions = rule.when.iter().filter(|condition| {
        let key = condition.key.as_ref().map_or("", Text::as_str);
        Attribute::of_key(key).is_some_and(|attribute| attribute.is_of_http())
    });
    let lists = operations
        .flat_map(|it| {
            [
                &it.hosts,
                &it.not_hosts,
                &it.methods,
                &it.not_methods,
                &it.paths,
                &it.not_paths,
            ]
        })
        .chain(sources.flat_map(|it| [&it.request_principals, &it.not_request_principals]));
    lists
        .filter_map(|list| list.first().map(|text| text.span))
        .chain(conditions.map(|condition| condition.span))
        .collect()
}

impl<'t> Chain<'t> {
    /// The chains of a target.
    pub(super) fn new(world: &World<'_, '_>, target: &'t Target<'t>, is_tcp: bool) -> Self {
        Self {
            target,
            is_tcp,
            trust: TrustDomains::of(&world.environment),
        }
    }

    /// Whether the target is a waypoint.
    pub(super) fn is_waypoint(&self) -> bool {
        self.target.role == Role::Waypoint
    }

    /// A rule. What a chain cannot see, or is no value at all, makes the rules of ALLOW fall away as a whole; the other
    /// actions only lose the value (catalogue: policies, 29 and 30).
    pub(super) fn policy(&self, header: &Header<'_>, strict: bool, rule: &Rule<'_>) -> Option<Policy> {
        let conditions: Option<Vec<Clause<'_>>> = rule.when.iter().map(|condition| self.condition(condition)).collect();
        let (of_permissions, of_principals): (Vec<_>, Vec<_>) =
            (conditions?.into_iter()).partition(|clause| clause.attribute.is_of_permission());
        let operations: Vec<Vec<Clause<'_>>> = (rule.to.iter())
            .map(|to| to.operation.as_ref().map_or_else(Vec::new, operation))
            .collect();
        let sources: Vec<Vec<Clause<'_>>> = (rule.from.iter())
            .map(|from| from.source.as_ref().map_or_else(Vec::new, |source| self.source(source)))
            .collect();
        let permission = |clause: &Clause<'_>| self.permissions(clause, strict);
        let principal = |clause: &Clause<'_>| self.principals(clause, strict, header.namespace.as_str());
        Some(Policy {
            permissions: alternatives(&operations, &of_permissions, permission)?,
            principals: alternatives(&sources, &of_principals, principal)?,
            origin: Origin::of(rule.span),
        })
    }

    fn condition<'p>(&self, condition: &'p Condition<'_>) -> Option<Clause<'p>> {
        let attribute = Attribute::of_key(condition.key.as_ref()?.as_str())?;
        Some(self.trusting(clause(attribute, &condition.values, &condition.not_values)))
    }

    /// The clauses of a source, in the order of istiod (catalogue: policies, 35).
    fn source<'p>(&self, source: &'p Source<'_>) -> Vec<Clause<'p>> {
        use Attribute::{
            Namespace, PeerAddress, Principal, RemoteAddress, RequestPrincipal, ServiceAccount, TrustDomain,
        };
        let clauses = [
            clause(Principal, &source.principals, &source.not_principals),
            clause(
                RequestPrincipal,
                &source.request_principals,
                &source.not_request_principals,
            ),
            clause(ServiceAccount, &source.service_accounts, &source.not_service_accounts),
            clause(TrustDomain, &source.trust_domains, &source.not_trust_domains),
            clause(Namespace, &source.namespaces, &source.not_namespaces),
            clause(RemoteAddress, &source.remote_ip_blocks, &source.not_remote_ip_blocks),
            clause(PeerAddress, &source.ip_blocks, &source.not_ip_blocks),
        ];
        clauses.into_iter().map(|clause| self.trusting(clause)).collect()
    }

    /// The clause with what its trust domains stand for.
    fn trusting<'p>(&self, mut clause: Clause<'p>) -> Clause<'p> {
        let expand = |value: &Str| match clause.attribute {
            Attribute::Principal => self.trust.principals(value),
            Attribute::TrustDomain => self.trust.domains(value),
            _ => vec![value.clone()],
        };
        let values = clause.values.iter().flat_map(expand).collect();
        let not_values = clause.not_values.iter().flat_map(expand).collect();
        (clause.values, clause.not_values) = (values, not_values);
        clause
    }

    fn permissions(&self, clause: &Clause<'_>, strict: bool) -> Option<Vec<Permission>> {
        let attribute = &clause.attribute;
        self.terms(
            clause,
            strict,
            |values| attribute.permission_of_all(values),
            |value| attribute.permission(value),
        )
    }

    fn principals(&self, clause: &Clause<'_>, strict: bool, policy_namespace: &str) -> Option<Vec<Principal>> {
        let attribute = &clause.attribute;
        self.terms(
            clause,
            strict,
            |values| attribute.principal_of_all(values),
            |value| attribute.principal(value, self, policy_namespace),
        )
    }

    /// The terms of a clause: one for the values, one for the others. `None` if there is a value that makes the rule fall
    /// away.
    fn terms<T: Term>(
        &self,
        clause: &Clause<'_>,
        strict: bool,
        of_all: impl Fn(&[Str]) -> Option<T>,
        of_one: impl Fn(&str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let is_hidden = self.is_tcp && clause.attribute.is_of_http();
        let term = |values: &[Str]| -> Option<Option<T>> {
            if values.is_empty() {
                return Some(None);
            }
            if is_hidden {
                return (!strict).then_some(None);
            }
            if let Some(joined) = of_all(values) {
                return Some(Some(joined));
            }
            let found: Vec<T> = values.iter().filter_map(|value| of_one(value)).collect();
            if strict && found.len() < values.len() {
                return None;
            }
            Some((!found.is_empty()).then(|| T::either(found)))
        };
        let (wanted, unwanted) = (term(&clause.values)?, term(&clause.not_values)?);
        Some(wanted.into_iter().chain(unwanted.map(T::not)).collect())
    }
}

fn operation<'p>(operation: &'p Operation<'_>) -> Vec<Clause<'p>> {
    vec![
        clause(Attribute::Host, &operation.hosts, &operation.not_hosts),
        clause(Attribute::Method, &operation.methods, &operation.not_methods),
        clause(Attribute::Path, &operation.paths, &operation.not_paths),
        clause(Attribute::Port, &operation.ports, &operation.not_ports),
    ]
}

fn clause<'p>(attribute: Attribute<'p>, values: &[Text<'_>], not_values: &[Text<'_>]) -> Clause<'p> {
    let owned = |values: &[Text<'_>]| values.iter().map(|value| Str::new(value.as_str())).collect();
    Clause {
        attribute,
        values: owned(values),
        not_values: owned(not_values),
    }
}

/// What must hold for each entry of a rule's list, with the rule's conditions appended; without entries only those.
fn alternatives<T: Term>(
    entries: &[Vec<Clause<'_>>],
    conditions: &[Clause<'_>],
    terms: impl Fn(&Clause<'_>) -> Option<Vec<T>>,
) -> Option<Vec<T>> {
    let entry = |clauses: &[Clause<'_>]| -> Option<T> {
        let mut all = Vec::new();
        for clause in clauses.iter().chain(conditions) {
            all.extend(terms(clause)?);
        }
        if all.is_empty() {
            all.push(T::anything());
        }
        Some(T::all(all))
    };
    if entries.is_empty() {
        return Some(vec![entry(&[])?]);
    }
    entries.iter().map(|clauses| entry(clauses)).collect()
}

/// A condition that can be joined with others: [`Permission`] or [`Principal`].
pub(super) trait Term: Sized {
    /// What always holds.
    fn anything() -> Self;

    /// Whether all of them hold.
    fn all(terms: Vec<Self>) -> Self;

    /// Whether one of them holds.
    fn either(terms: Vec<Self>) -> Self;

    /// Whether it does not hold.
    fn not(term: Self) -> Self;
}

impl Term for Permission {
    fn anything() -> Self {
        Self {
            any: true,
            ..Self::default()
        }
    }

    fn all(rules: Vec<Self>) -> Self {
        Self {
            and_rules: Some(Permissions { rules }),
            ..Self::default()
        }
    }

    fn either(rules: Vec<Self>) -> Self {
        Self {
            or_rules: Some(Permissions { rules }),
            ..Self::default()
        }
    }

    fn not(rule: Self) -> Self {
        Self {
            not_rule: Some(Box::new(rule)),
            ..Self::default()
        }
    }
}

impl Term for Principal {
    fn anything() -> Self {
        Self {
            any: true,
            ..Self::default()
        }
    }

    fn all(ids: Vec<Self>) -> Self {
        Self {
            and_ids: Some(Principals { ids }),
            ..Self::default()
        }
    }

    fn either(ids: Vec<Self>) -> Self {
        Self {
            or_ids: Some(Principals { ids }),
            ..Self::default()
        }
    }

    fn not(id: Self) -> Self {
        Self {
            not_id: Some(Box::new(id)),
            ..Self::default()
        }
    }
}
